/* SPDX-License-Identifier: BSD-3-Clause
 * potrf: Cholesky factorization of a diagonal block by recursive halving, and the solve for the rows
 * below it. */
#include <math.h>

#include "common/base/sizes.h"
#include "kernels/dense/product.h"
#include "kernels/dense/triangular_solve.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"

/* Plain elimination up to this order; the faster of 8 and 16 (docs/evaluation/performance.md). */
enum { LEAF = 8 };

/* Column by column. Returns the 1-based first bad pivot, or 0. */
static size_t factor_leaf(struct tile A)
{
    size_t n = A.cols;
    for (size_t k = 0; k < n; k++) {
        double *a = A.a + k * A.ld, pivot = a[k];
        if (!(pivot > 0.0) || !isfinite(pivot))
            return k + 1;
        a[k] = sqrt(pivot);
        for (size_t i = k + 1; i < n; i++)
            a[i] /= a[k];
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = j; i < n; i++)
                A.a[i + j * A.ld] -= a[i] * a[j];
    }
    return 0;
}

/* The n × n matrix A := L with L Lᵀ = A. Returns as factor_leaf. */
static size_t factor(struct tile A)
{
    size_t n = A.cols;
    if (n <= LEAF)
        return factor_leaf(A);
    size_t h = ceiling(n / 2, LEAF) * LEAF;
    struct tile A11 = tile_submatrix(A, 0, 0, h, h), A21 = tile_submatrix(A, h, 0, n - h, h);
    struct tile A22 = tile_submatrix(A, h, h, n - h, n - h);
    size_t bad = factor(A11);
    if (bad > 0)
        return bad;
    solve_right(TRANSPOSE, A11, A21);
    subtract_symmetric_product(A21, A22);
    bad = factor(A22);
    return bad > 0 ? bad + h : 0;
}

/* The triangle, and the solve for the rows below it. */
static double flops(struct call_sizes s)
{
    double m = s.m, n = s.n;
    return flops_potrf(n, n) + (m - n) * n * n;
}

const struct kernel about_potrf = {.name = "potrf",
                                   .count = "n^3/3 + n^2/2 + n/6 + (m - n) n^2",
                                   .source = LAWN_41,
                                   .flops = flops,
                                   .bytes = bytes_of_matrix};

void kernel_potrf(struct execution *x, size_t step, size_t first_column, struct tile A)
{
    const struct access accesses[] = {{A.origin, ACCESS_WRITE}};
    struct call call = {&about_potrf, step, sizes_mnk(A.rows, A.cols, A.cols)};
    if (!execution_enter(x, call, accesses, 1))
        return;
    size_t n = A.cols;
    struct tile top = tile_part(A, 0, n);
    size_t bad = factor(top);
    if (bad > 0)
        execution_fail(x, first_column + bad);
    else if (A.rows > n)
        solve_right(TRANSPOSE, top, tile_part(A, n, A.rows - n));
    execution_leave(x);
}
