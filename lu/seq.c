/* SPDX-License-Identifier: BSD-3-Clause
 * LU `seq`: the tile algorithm without OpenMP. */
#include "lu/variants.h"

void lu_seq(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        /* A(k:,k), P(k) := lu(A(k:,k)) */
        lu_getrf(p, k);
        for (size_t n = k + 1; n < nt; n++) {
            /* A(k:,n) := P(k) A(k:,n) */
            lu_laswp(p, k, n);
            /* A(k,n) := L(k,k)⁻¹ A(k,n) */
            lu_trsm(p, k, n);
            for (size_t m = tile_below(p->A, k); m < mt; m++) {
                /* A(m,n) -= A(m,k) A(k,n) */
                lu_gemm(p, k, m, n);
            }
        }
        for (size_t n = 0; n < k; n++) {
            /* A(k:,n) := P(k) A(k:,n) */
            lu_laswp(p, k, n);
        }
    }
}
