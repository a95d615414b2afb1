/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `seq`: the tile algorithm without OpenMP. */
#include "cholesky/cholesky.h"

void cholesky_seq(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < nt; k++) {
        cholesky_potrf(p, k);
        for (size_t m = tile_top(p->A, k) + 1; m < mt; m++)
            cholesky_trsm(p, k, m);
        for (size_t n = k + 1; n < nt; n++) {
            cholesky_syrk(p, k, n);
            for (size_t m = tile_top(p->A, n) + 1; m < mt; m++)
                cholesky_gemm(p, k, m, n);
        }
    }
}
