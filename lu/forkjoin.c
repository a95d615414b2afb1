/* SPDX-License-Identifier: BSD-3-Clause
 * LU `forkjoin`: independent tasks between taskwaits, no dependences. */
#include "lu/variants.h"

static void exchange_and_solve(struct problem *p, size_t k, size_t n)
{
    /* A(k:,n) := P(k) A(k:,n) */
    lu_laswp(p, k, n);
    /* A(k,n) := L(k,k)⁻¹ A(k,n) */
    lu_trsm(p, k, n);
}

void lu_forkjoin(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        /* A(k:,k), P(k) := lu(A(k:,k)) */
        lu_getrf(p, k);
        for (size_t n = k + 1; n < nt; n++) {
#pragma omp task firstprivate(p, k, n)
            exchange_and_solve(p, k, n);
        }
        for (size_t n = 0; n < k; n++) {
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n)
            lu_laswp(p, k, n);
        }
        execution_note_submitted(p->execution); /* the last step has no products */
#pragma omp taskwait
        for (size_t n = k + 1; n < nt; n++) {
            for (size_t m = tile_below(p->A, k); m < mt; m++) {
                /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n)
                lu_gemm(p, k, m, n);
            }
        }
#pragma omp taskwait
    }
}
