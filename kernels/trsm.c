/* SPDX-License-Identifier: BSD-3-Clause
 * trsm: triangular solves with many right-hand sides, in the three forms the factorizations use. */
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
    solve_right_lower_transposed(B.rows, B.cols, L.a, L.ld, B.a, B.ld);
    execution_leave(x);
}

void kernel_trsm_left_unit(struct execution *x, size_t step, struct tile L, struct tile B)
{
    if (!enter(x, step, L, B))
        return;
    size_t n = L.rows < L.cols ? L.rows : L.cols;
    solve_left_lower_unit(n, B.cols, L.a, L.ld, B.a, B.ld);
    if (B.rows > n)
        subtract_product(B.rows - n, B.cols, n, L.a + n, L.ld, B.a, B.ld, 0, B.a + n, B.ld);
    execution_leave(x);
}

void kernel_trsm_right_upper(struct execution *x, size_t step, struct tile U, struct tile B)
{
    if (!enter(x, step, U, B))
        return;
    solve_right_upper(B.rows, B.cols, U.a, U.ld, B.a, B.ld);
    execution_leave(x);
}
