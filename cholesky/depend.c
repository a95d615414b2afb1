/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `depend`: right-looking, one task per kernel, ordered by dependences on tiles.
 *
 * Tn is the tile that holds the diagonal block of column n; with square tiles, A(n,n). */
#include "cholesky/cholesky.h"

void cholesky_depend(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < nt; k++) {
        size_t top = tile_top(p->A, k);
        double *Tk = tile_address(p->A, top, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Tk[0]) \
    priority(PRIORITY_PANEL)
        cholesky_potrf(p, k);

        for (size_t m = top + 1; m < mt; m++) {
            double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(in : Tk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE)
            cholesky_trsm(p, k, m);
        }
        for (size_t n = k + 1; n < nt; n++) {
            size_t first = tile_top(p->A, n);
            double *Bnk = tile_address(p->A, first, k);
            double *Tn = tile_address(p->A, first, n);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Bnk[0]) \
    depend(inout : Tn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 2 * n < k + nt ? PRIORITY_NEXT : 0)
            cholesky_syrk(p, k, n);

            for (size_t m = first + 1; m < mt; m++) {
                double *Amk = tile_address(p->A, m, k);
                double *Amn = tile_address(p->A, m, n);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Bnk[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0)
                cholesky_gemm(p, k, m, n);
            }
        }
    }
}
