/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `left`: left-looking, a column receives all its updates just before it is factored.
 *
 * Tn is the tile that holds the diagonal block of column n; with square tiles, A(n,n). */
#include "cholesky/cholesky.h"

void cholesky_left(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t n = 0; n < nt; n++) {
        size_t top = tile_top(p->A, n);
        double *Tn = tile_address(p->A, top, n);
        for (size_t k = 0; k < n; k++) {
            double *Bnk = tile_address(p->A, top, k);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Bnk[0]) \
    depend(inout : Tn[0]) \
    priority(PRIORITY_SOLVE)
            cholesky_syrk(p, k, n);
        }
#pragma omp task firstprivate(p, n) \
    depend(inout : Tn[0]) \
    priority(PRIORITY_PANEL)
        cholesky_potrf(p, n);

        for (size_t m = top + 1; m < mt; m++) {
            double *Amn = tile_address(p->A, m, n);
            for (size_t k = 0; k < n; k++) {
                double *Amk = tile_address(p->A, m, k);
                double *Bnk = tile_address(p->A, top, k);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Bnk[0]) \
    depend(inout : Amn[0]) \
    priority(m == top + 1 ? PRIORITY_NEXT : 0)
                cholesky_gemm(p, k, m, n);
            }
#pragma omp task firstprivate(p, n, m) \
    depend(in : Tn[0]) \
    depend(inout : Amn[0]) \
    priority(PRIORITY_NEXT)
            cholesky_trsm(p, n, m);
        }
    }
}
