/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels of Cholesky by tile coordinates. */
#include "cholesky/cholesky.h"
#include "kernels/kernels.h"

void cholesky_potrf(struct problem *p, size_t k)
{
    kernel_potrf(p->execution, k, k * p->A->nb, tile_at_step(p->A, k, k));
}

void cholesky_trsm(struct problem *p, size_t k, size_t m)
{
    kernel_trsm_right_lower(p->execution, k, tile_block(p->A, k, k), tile_at(p->A, m, k));
}

void cholesky_syrk(struct problem *p, size_t k, size_t n)
{
    kernel_syrk(p->execution, k, tile_at_step(p->A, n, k), tile_at_step(p->A, n, n));
}

void cholesky_gemm(struct problem *p, size_t k, size_t m, size_t n)
{
    kernel_gemm(p->execution, k, TRANSPOSE, tile_at(p->A, m, k), tile_block(p->A, n, k),
                tile_at(p->A, m, n));
}
