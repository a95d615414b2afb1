/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `depend`: right-looking, one task per kernel, ordered by dependences on tiles. */
#include "cholesky/cholesky.h"

void cholesky_depend(struct problem *p)
{
    size_t nt = p->A->nt;
    for (size_t k = 0; k < nt; k++) {
        double *Akk = tile_address(p->A, k, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL)
        cholesky_potrf(p, k);

        for (size_t m = k + 1; m < nt; m++) {
            double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE)
            cholesky_trsm(p, k, m);
        }
        for (size_t m = k + 1; m < nt; m++) {
            double *Amk = tile_address(p->A, m, k);
            double *Amm = tile_address(p->A, m, m);
#pragma omp task firstprivate(p, k, m) \
    depend(in : Amk[0]) \
    depend(inout : Amm[0]) \
    priority(m == k + 1 ? PRIORITY_SOLVE : PRIORITY_NEXT)
            cholesky_syrk(p, k, m);

            for (size_t n = k + 1; n < m; n++) {
                double *Ank = tile_address(p->A, n, k);
                double *Amn = tile_address(p->A, m, n);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Ank[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0)
                cholesky_gemm(p, k, m, n);
            }
        }
    }
}
