/* SPDX-License-Identifier: BSD-3-Clause
 * QR `depend`: flat tree of TS kernels (Buttari, Langou, Kurzak, Dongarra, "A class of parallel
 * tiled linear algebra algorithms for multicore architectures", Parallel Computing 35(1), 2009).
 * T(m,k) is written where A(m,k) is, and read where A(m,k) is read: one name stands for both. */
#include "qr/qr.h"

void qr_depend(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    qr_use_tree(p, false);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address(p->A, top, k);
#pragma omp task firstprivate(p, k, top) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL)
        qr_geqrt(p, k, top);

        for (size_t j = k + 1; j < nt; j++) {
            double *Akj = tile_address(p->A, top, j);
#pragma omp task firstprivate(p, k, top, j) \
    depend(in : Akk[0]) \
    depend(inout : Akj[0]) \
    priority(PRIORITY_SOLVE)
            qr_unmqr(p, k, top, j);
        }
        for (size_t m = top + 1; m < mt; m++) {
            double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(inout : Akk[0], Amk[0]) \
    priority(PRIORITY_PANEL)
            qr_tsqrt(p, k, m);

            for (size_t j = k + 1; j < nt; j++) {
                double *Akj = tile_address(p->A, top, j);
                double *Amj = tile_address(p->A, m, j);
#pragma omp task firstprivate(p, k, m, j) \
    depend(in : Amk[0]) \
    depend(inout : Akj[0], Amj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                qr_tsmqr(p, k, m, j);
            }
        }
    }
}
