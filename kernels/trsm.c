/* SPDX-License-Identifier: BSD-3-Clause
 * trsm: triangular solves with many right-hand sides, in the three forms the factorizations use. */
#include "common/base/sizes.h"
#include "kernels/dense/product.h"
#include "kernels/dense/triangular_solve.h"
#include "kernels/kernels.h"

static bool enter(struct execution *x, size_t step, struct tile triangle, struct tile B)
{
    const struct access accesses[] = {{triangle.origin, ACCESS_READ}, {B.origin, ACCESS_WRITE}};
    return execution_enter(x, "trsm", step, accesses, 2);
}

void kernel_trsm_right_lower(struct execution *x, size_t step, struct tile L, struct tile B)
{
    if (!enter(x, step, L, B))
        return;
    solve_right(TRANSPOSE, L, B);
    execution_leave(x);
}

void kernel_trsm_left_unit(struct execution *x, size_t step, struct tile L, struct tile B)
{
    if (!enter(x, step, L, B))
        return;
    size_t n = smaller(L.rows, L.cols);
    struct tile B1 = tile_part(B, 0, n);
    solve_left_unit_lower(tile_submatrix(L, 0, 0, n, n), B1);
    if (B.rows > n)
        subtract_product(tile_submatrix(L, n, 0, B.rows - n, n), NO_TRANSPOSE, B1,
                         tile_part(B, n, B.rows - n));
    execution_leave(x);
}

void kernel_trsm_right_upper(struct execution *x, size_t step, struct tile U, struct tile B)
{
    if (!enter(x, step, U, B))
        return;
    solve_right(NO_TRANSPOSE, U, B);
    execution_leave(x);
}
