/* SPDX-License-Identifier: BSD-3-Clause
 * gemm: the update of one tile by a product of two others. */
#include "kernels/dense/product.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"

const struct kernel about_gemm = {.name = "gemm",
                                  .count = "2 m n k",
                                  .source = LAWN_41,
                                  .flops = flops_of_product,
                                  .bytes = bytes_of_product};

const struct kernel about_gemm_transposed = {.name = "gemm",
                                             .operation = "gemm with B transposed",
                                             .count = "2 m n k",
                                             .source = LAWN_41,
                                             .flops = flops_of_product,
                                             .bytes = bytes_of_product};

const struct kernel about_gemm_fill = {.name = "gemm",
                                       .operation = "gemm into a tile that was zero",
                                       .count = "2 m n k",
                                       .source = LAWN_41,
                                       .flops = flops_of_product,
                                       .bytes = bytes_of_product};

static bool enter(struct execution *x, const struct kernel *kernel, size_t step, struct tile A,
                  struct tile B, struct tile C)
{
    const struct access accesses[] = {
        {A.origin, ACCESS_READ}, {B.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    struct call call = {kernel, step, sizes_mnk(C.rows, C.cols, A.cols)};
    return execution_enter(x, call, accesses, 3);
}

void kernel_gemm(struct execution *x, size_t step, enum transpose op, struct tile A, struct tile B,
                 struct tile C)
{
    if (!enter(x, op == TRANSPOSE ? &about_gemm_transposed : &about_gemm, step, A, B, C))
        return;
    subtract_product(A, op, B, C);
    execution_leave(x);
}

void kernel_gemm_fill(struct execution *x, size_t step, struct tile A, struct tile B, struct tile C)
{
    if (!enter(x, &about_gemm_fill, step, A, B, C))
        return;
    tile_clear(C);
    subtract_product(A, NO_TRANSPOSE, B, C);
    execution_leave(x);
}
