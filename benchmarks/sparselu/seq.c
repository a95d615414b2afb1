/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse LU `seq`: the same kernels in the same order on every block, without OpenMP. */
#include "benchmarks/sparselu/sparselu.h"

static void update_column(struct problem *p, size_t k, size_t n)
{
    struct block_matrix *A = sparselu_blocks(p);
    for (size_t m = k + 1; m < A->nt; m++)
        if (block_address(A, m, k))
            sparselu_bmod(p, k, m, n, block_appear(A, m, n));
}

void sparselu_seq(struct problem *p)
{
    struct block_matrix *A = sparselu_blocks(p);
    for (size_t k = 0; k < A->nt; k++) {
        sparselu_lu0(p, k);
        for (size_t n = k + 1; n < A->nt; n++)
            if (block_address(A, k, n))
                sparselu_fwd(p, k, n);
        for (size_t m = k + 1; m < A->nt; m++)
            if (block_address(A, m, k))
                sparselu_bdiv(p, k, m);
        for (size_t n = k + 1; n < A->nt; n++)
            if (block_address(A, k, n))
                update_column(p, k, n);
    }
}
