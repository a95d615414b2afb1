/* SPDX-License-Identifier: BSD-3-Clause
 * potrf: Cholesky factorization of a diagonal block by recursive halving, and the solve for the rows
 * below it. */
#include <math.h>

#include "kernels/dense/triangular_solve.h"
#include "kernels/kernels.h"

/* Plain elimination up to this order; the faster of 8 and 16 (docs/performance.md). */
enum { LEAF = 8 };

/* Column by column. Returns the 1-based first bad pivot, or 0. */
static size_t factor_leaf(size_t n, double *A, size_t ld)
{
    for (size_t k = 0; k < n; k++) {
        double pivot = A[k + k * ld];
        if (!(pivot > 0.0) || !isfinite(pivot))
            return k + 1;
        A[k + k * ld] = sqrt(pivot);
        for (size_t i = k + 1; i < n; i++)
            A[i + k * ld] /= A[k + k * ld];
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = j; i < n; i++)
                A[i + j * ld] -= A[i + k * ld] * A[j + k * ld];
    }
    return 0;
}

static size_t factor(size_t n, double *A, size_t ld)
{
    if (n <= LEAF)
        return factor_leaf(n, A, ld);
    size_t h = (n / 2 + LEAF - 1) / LEAF * LEAF;
    size_t bad = factor(h, A, ld);
    if (bad > 0)
        return bad;
    solve_right_lower_transposed(n - h, h, A, ld, A + h, ld);
    double *rest = A + h + h * ld;
    subtract_square(n - h, n - h, h, A + h, ld, rest, ld);
    bad = factor(n - h, rest, ld);
    return bad > 0 ? bad + h : 0;
}

void kernel_potrf(struct execution *x, size_t step, size_t first_column, struct tile A)
{
    const struct access accesses[] = {{A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "potrf", step, accesses, 1))
        return;
    size_t bad = factor(A.cols, A.a, A.ld);
    if (bad > 0)
        execution_fail(x, first_column + bad);
    else if (A.rows > A.cols)
        solve_right_lower_transposed(A.rows - A.cols, A.cols, A.a, A.ld, A.a + A.cols, A.ld);
    execution_leave(x);
}
