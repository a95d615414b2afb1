/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse LU `depend`: one task per kernel, ordered by dependences on blocks. Blocks that are zero have no
 * tasks; those that fill in appear while tasks are created. */
#include "benchmarks/sparselu/sparselu.h"

static void solve(struct problem *p, size_t k)
{
    struct block_matrix *A = sparselu_blocks(p);
    double *Akk = block_address(A, k, k);
    for (size_t n = k + 1; n < A->nt; n++) {
        double *Akn = block_address(A, k, n);
        if (!Akn)
            continue;
        /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
    priority(PRIORITY_SOLVE) /* the updates wait for it */
        sparselu_fwd(p, k, n);
    }
    for (size_t m = k + 1; m < A->nt; m++) {
        double *Amk = block_address(A, m, k);
        if (!Amk)
            continue;
        /* A(m,k) := A(m,k) U(k,k)⁻¹ */
#pragma omp task firstprivate(p, k, m) \
    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE) /* the updates wait for it */
        sparselu_bdiv(p, k, m);
    }
}

static void update_column(struct problem *p, size_t k, size_t n)
{
    struct block_matrix *A = sparselu_blocks(p);
    double *Akn = block_address(A, k, n);
    for (size_t m = k + 1; m < A->nt; m++) {
        double *Amk = block_address(A, m, k);
        if (!Amk)
            continue;
        bool appears = block_appear(A, m, n);
        double *Amn = block_address(A, m, n);
        /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n, appears) \
    depend(in : Amk[0], Akn[0]) \
    depend(inout : Amn[0]) \
    priority(m == k + 1 || n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel and solves wait */
        sparselu_bmod(p, k, m, n, appears);
    }
}

void sparselu_depend(struct problem *p)
{
    struct block_matrix *A = sparselu_blocks(p);
    for (size_t k = 0; k < A->nt; k++) {
        double *Akk = block_address(A, k, k);
        /* A(k,k) := lu(A(k,k)) */
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        sparselu_lu0(p, k);

        solve(p, k);
        for (size_t n = k + 1; n < A->nt; n++)
            if (block_address(A, k, n))
                update_column(p, k, n);
    }
}
