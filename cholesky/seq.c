/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `seq`: the tile algorithm without OpenMP. */
#include "cholesky/cholesky.h"

void cholesky_seq(struct problem *p)
{
    size_t nt = p->A->nt;
    for (size_t k = 0; k < nt; k++) {
        cholesky_potrf(p, k);
        for (size_t m = k + 1; m < nt; m++)
            cholesky_trsm(p, k, m);
        for (size_t m = k + 1; m < nt; m++) {
            cholesky_syrk(p, k, m);
            for (size_t n = k + 1; n < m; n++)
                cholesky_gemm(p, k, m, n);
        }
    }
}
