/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse LU `forkjoin`: independent tasks between taskwaits, no dependences. */
#include "benchmarks/sparselu/sparselu.h"

static void solve(struct problem *p, size_t k)
{
    struct block_matrix *A = sparselu_blocks(p);
    for (size_t n = k + 1; n < A->nt; n++) {
        if (!block_address(A, k, n))
            continue;
        /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n)
        sparselu_fwd(p, k, n);
    }
    for (size_t m = k + 1; m < A->nt; m++) {
        if (!block_address(A, m, k))
            continue;
        /* A(m,k) := A(m,k) U(k,k)⁻¹ */
#pragma omp task firstprivate(p, k, m)
        sparselu_bdiv(p, k, m);
    }
}

static void update_column(struct problem *p, size_t k, size_t n)
{
    struct block_matrix *A = sparselu_blocks(p);
    for (size_t m = k + 1; m < A->nt; m++) {
        if (!block_address(A, m, k))
            continue;
        bool appears = block_appear(A, m, n);
        /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n, appears)
        sparselu_bmod(p, k, m, n, appears);
    }
}

void sparselu_forkjoin(struct problem *p)
{
    struct block_matrix *A = sparselu_blocks(p);
    for (size_t k = 0; k < A->nt; k++) {
        /* A(k,k) := lu(A(k,k)) */
        sparselu_lu0(p, k);
        solve(p, k);
#pragma omp taskwait
        for (size_t n = k + 1; n < A->nt; n++)
            if (block_address(A, k, n))
                update_column(p, k, n);
        if (k + 1 < A->nt)
            execution_note_submitted(p->execution);
#pragma omp taskwait
    }
}
