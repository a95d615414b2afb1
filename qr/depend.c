/* SPDX-License-Identifier: BSD-3-Clause
 * QR `depend`: flat tree of TS kernels (Buttari, Langou, Kurzak, Dongarra, "A class of parallel
 * tiled linear algebra algorithms for multicore architectures", Parallel Computing 35(1), 2009).
 * A(m,k) and T(m,k) together hold Q(m,k). */
#include "qr/qr.h"

void qr_depend(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    qr_use_domains(p, 1);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address_at_step(p->A, k, k);
        double *Tkk = qr_T(p, top, k);
        /* A(k,k), T(k,k) := qr(A(k,k)) */
#pragma omp task firstprivate(p, k, top) \
    depend(inout : Akk[0], Tkk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        qr_geqrt(p, k, top);

        for (size_t n = k + 1; n < nt; n++) {
            double *Akn = tile_address_at_step(p->A, k, n);
            /* A(k,n) := Q(k,k)ᵀ A(k,n) */
#pragma omp task firstprivate(p, k, top, n) \
    depend(in : Akk[0], Tkk[0]) \
    depend(inout : Akn[0]) \
    priority(PRIORITY_SOLVE) /* the column's updates wait for it */
            qr_unmqr(p, k, top, n);
        }
        for (size_t m = tile_below(p->A, k); m < mt; m++) {
            double *Amk = tile_address(p->A, m, k);
            double *Tmk = qr_T(p, m, k);
            /* [A(k,k); A(m,k)], T(m,k) := qr([R(k,k); A(m,k)]) */
#pragma omp task firstprivate(p, k, m) \
    depend(inout : Akk[0], Amk[0], Tmk[0]) \
    priority(PRIORITY_PANEL) /* all below it in the panel wait for it */
            qr_tsqrt(p, k, m);

            for (size_t n = k + 1; n < nt; n++) {
                double *Akn = tile_address_at_step(p->A, k, n);
                double *Amn = tile_address(p->A, m, n);
                /* [A(k,n); A(m,n)] := Q(m,k)ᵀ [A(k,n); A(m,n)] */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Tmk[0]) \
    depend(inout : Akn[0], Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                qr_tsmqr(p, k, m, n);
            }
        }
    }
}
