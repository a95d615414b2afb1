/* SPDX-License-Identifier: BSD-3-Clause
 * trsm: triangular solves with many right-hand sides, in the three forms the factorizations use. */
#include "common/base/sizes.h"
#include "kernels/dense/product.h"
#include "kernels/dense/triangular_solve.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"

static double flops_right(struct call_sizes s)
{
    return (double)s.m * s.n * s.n;
}

/* A solve with a unit triangle, without divisions, and the product with the rows below it. */
static double flops_left(struct call_sizes s)
{
    double m = s.m, k = s.k;
    return s.n * k * (k - 1 + 2 * (m - k));
}

const struct kernel about_trsm_right_lower = {.name = "trsm",
                                              .operation = "trsm from the right",
                                              .count = "m n^2",
                                              .source = LAWN_41,
                                              .flops = flops_right,
                                              .bytes = bytes_of_solve};

const struct kernel about_trsm_left_unit = {.name = "trsm",
                                            .operation = "trsm from the left",
                                            .count = "n k (k - 1 + 2 (m - k))",
                                            .source = LAWN_41,
                                            .flops = flops_left,
                                            .bytes = bytes_of_update};

const struct kernel about_trsm_right_upper = {.name = "trsm",
                                              .operation = "trsm from the right by U",
                                              .count = "m n^2",
                                              .source = LAWN_41,
                                              .flops = flops_right,
                                              .bytes = bytes_of_solve};

static bool enter(struct execution *x, struct call call, struct tile triangle, struct tile B)
{
    const struct access accesses[] = {{triangle.origin, ACCESS_READ}, {B.origin, ACCESS_WRITE}};
    return execution_enter(x, call, accesses, 2);
}

void kernel_trsm_right_lower(struct execution *x, size_t step, struct tile L, struct tile B)
{
    struct call call = {&about_trsm_right_lower, step, sizes_mnk(B.rows, B.cols, B.cols)};
    if (!enter(x, call, L, B))
        return;
    solve_right(TRANSPOSE, L, B);
    execution_leave(x);
}

void kernel_trsm_left_unit(struct execution *x, size_t step, struct tile L, struct tile B)
{
    size_t n = smaller(L.rows, L.cols);
    struct call call = {&about_trsm_left_unit, step, sizes_mnk(B.rows, B.cols, n)};
    if (!enter(x, call, L, B))
        return;
    struct tile B1 = tile_part(B, 0, n);
    solve_left_unit_lower(tile_submatrix(L, 0, 0, n, n), B1);
    if (B.rows > n)
        subtract_product(tile_submatrix(L, n, 0, B.rows - n, n), NO_TRANSPOSE, B1,
                         tile_part(B, n, B.rows - n));
    execution_leave(x);
}

void kernel_trsm_right_upper(struct execution *x, size_t step, struct tile U, struct tile B)
{
    struct call call = {&about_trsm_right_upper, step, sizes_mnk(B.rows, B.cols, B.cols)};
    if (!enter(x, call, U, B))
        return;
    solve_right(NO_TRANSPOSE, U, B);
    execution_leave(x);
}
