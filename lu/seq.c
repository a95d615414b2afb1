/* SPDX-License-Identifier: BSD-3-Clause
 * LU `seq`: the tile algorithm without OpenMP. */
#include "lu/variants.h"

void lu_seq(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        lu_getrf(p, k);
        for (size_t j = k + 1; j < nt; j++) {
            lu_laswp(p, k, j);
            lu_trsm(p, k, j);
            for (size_t m = tile_top(p->A, k) + 1; m < mt; m++)
                lu_gemm(p, k, m, j);
        }
        for (size_t j = 0; j < k; j++)
            lu_laswp(p, k, j);
    }
}
