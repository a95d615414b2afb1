/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of the sparse LU factorization by block coordinates. */
#include "benchmarks/sparselu/sparselu.h"
#include "kernels/kernels.h"

static struct tile block(const struct problem *p, size_t i, size_t j)
{
    return block_at(sparselu_blocks(p), i, j);
}

void sparselu_lu0(struct problem *p, size_t k)
{
    kernel_getrf_nopiv(p->execution, k, k * sparselu_blocks(p)->nb, block(p, k, k));
}

void sparselu_fwd(struct problem *p, size_t k, size_t n)
{
    kernel_trsm_left_unit(p->execution, k, block(p, k, k), block(p, k, n));
}

void sparselu_bdiv(struct problem *p, size_t k, size_t m)
{
    kernel_trsm_right_upper(p->execution, k, block(p, k, k), block(p, m, k));
}

void sparselu_bmod(struct problem *p, size_t k, size_t m, size_t n, bool appears)
{
    if (appears)
        kernel_gemm_fill(p->execution, k, block(p, m, k), block(p, k, n), block(p, m, n));
    else
        kernel_gemm(p->execution, k, NO_TRANSPOSE, block(p, m, k), block(p, k, n), block(p, m, n));
}
