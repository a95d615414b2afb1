/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `left`: left-looking, a column receives all its updates just before it is factored. */
#include "cholesky/cholesky.h"

void cholesky_left(struct problem *p)
{
    size_t nt = p->A->nt;
    for (size_t n = 0; n < nt; n++) {
        double *Ann = tile_address(p->A, n, n);
        for (size_t k = 0; k < n; k++) {
            double *Ank = tile_address(p->A, n, k);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Ank[0]) \
    depend(inout : Ann[0]) \
    priority(PRIORITY_SOLVE)
            cholesky_syrk(p, k, n);
        }
#pragma omp task firstprivate(p, n) \
    depend(inout : Ann[0]) \
    priority(PRIORITY_PANEL)
        cholesky_potrf(p, n);

        for (size_t m = n + 1; m < nt; m++) {
            double *Amn = tile_address(p->A, m, n);
            for (size_t k = 0; k < n; k++) {
                double *Amk = tile_address(p->A, m, k);
                double *Ank = tile_address(p->A, n, k);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Ank[0]) \
    depend(inout : Amn[0]) \
    priority(m == n + 1 ? PRIORITY_NEXT : 0)
                cholesky_gemm(p, k, m, n);
            }
#pragma omp task firstprivate(p, n, m) \
    depend(in : Ann[0]) \
    depend(inout : Amn[0]) \
    priority(PRIORITY_NEXT)
            cholesky_trsm(p, n, m);
        }
    }
}
