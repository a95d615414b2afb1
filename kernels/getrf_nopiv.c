/* SPDX-License-Identifier: BSD-3-Clause
 * getrf_nopiv: LU of one tile without pivoting (lu0 of the four-kernel LU), by recursive halving
 * of the columns, as in LAPACK's dgetrf2. */
#include <math.h>

#include "common/base/sizes.h"
#include "kernels/dense/product.h"
#include "kernels/dense/triangular_solve.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"

enum { LEAF = 16 };

/* Plain elimination. Returns the 1-based first bad pivot, or 0. */
static size_t factor_leaf(struct tile A)
{
    size_t bad = 0;
    for (size_t k = 0; k < smaller(A.rows, A.cols); k++) {
        double *a = A.a + k * A.ld, pivot = a[k];
        if (bad == 0 && (pivot == 0.0 || !isfinite(pivot)))
            bad = k + 1;
        for (size_t i = k + 1; i < A.rows; i++)
            a[i] /= pivot;
        for (size_t j = k + 1; j < A.cols; j++) {
            double *right = A.a + j * A.ld;
            for (size_t i = k + 1; i < A.rows; i++)
                right[i] -= a[i] * right[k];
        }
    }
    return bad;
}

/* A := L U, returns as factor_leaf. */
static size_t factor(struct tile A)
{
    size_t m = A.rows, n = A.cols;
    if (n <= LEAF || m <= LEAF)
        return factor_leaf(A);
    size_t h = smaller(m, n) / 2;
    struct tile A12 = tile_submatrix(A, 0, h, h, n - h);
    struct tile A22 = tile_submatrix(A, h, h, m - h, n - h);
    size_t bad = factor(tile_submatrix(A, 0, 0, m, h));
    if (bad > 0)
        return bad;
    solve_left_unit_lower(tile_submatrix(A, 0, 0, h, h), A12);
    subtract_product(tile_submatrix(A, h, 0, m - h, h), NO_TRANSPOSE, A12, A22);
    bad = factor(A22);
    return bad > 0 ? bad + h : 0;
}

const struct kernel about_getrf_nopiv = {.name = "getrf",
                                         .operation = "getrf of a tile",
                                         .count = GETRF_COUNT,
                                         .source = LAWN_41,
                                         .flops = flops_of_getrf,
                                         .bytes = bytes_of_matrix};

void kernel_getrf_nopiv(struct execution *x, size_t step, size_t first_column, struct tile A)
{
    const struct access accesses[] = {{A.origin, ACCESS_WRITE}};
    struct call call = {&about_getrf_nopiv, step, sizes_mnk(A.rows, A.cols, A.cols)};
    if (!execution_enter(x, call, accesses, 1))
        return;
    size_t bad = factor(A);
    if (bad > 0)
        execution_fail(x, first_column + bad);
    execution_leave(x);
}
