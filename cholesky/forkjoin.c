/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `forkjoin`: independent tasks between taskwaits, no dependences. */
#include "cholesky/cholesky.h"

void cholesky_forkjoin(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < nt; k++) {
        /* A(k,k) := chol(A(k,k)) */
        cholesky_potrf(p, k);
        for (size_t m = tile_below(p->A, k); m < mt; m++) {
            /* A(m,k) := A(m,k) A(k,k)⁻ᵀ */
#pragma omp task firstprivate(p, k, m)
            cholesky_trsm(p, k, m);
        }
#pragma omp taskwait
        for (size_t n = k + 1; n < nt; n++) {
            /* A(n,n) -= A(n,k) A(n,k)ᵀ */
#pragma omp task firstprivate(p, k, n)
            cholesky_syrk(p, k, n);
            for (size_t m = tile_below(p->A, n); m < mt; m++) {
                /* A(m,n) -= A(m,k) A(n,k)ᵀ */
#pragma omp task firstprivate(p, k, m, n)
                cholesky_gemm(p, k, m, n);
            }
        }
        if (k + 1 < nt)
            execution_note_submitted(p->execution);
#pragma omp taskwait
    }
}
