/* SPDX-License-Identifier: BSD-3-Clause
 * getrf_nopiv: LU of one tile without pivoting (lu0 of the four-kernel LU), by recursive halving
 * of the columns, as in LAPACK's dgetrf2. */
#include <math.h>

#include "kernels/dense/triangular_solve.h"
#include "kernels/kernels.h"

enum { LEAF = 16 };

/* Plain elimination. Returns the 1-based first bad pivot, or 0. */
static size_t factor_leaf(size_t m, size_t n, double *A, size_t ld)
{
    size_t bad = 0;
    for (size_t k = 0; k < (m < n ? m : n); k++) {
        double pivot = A[k + k * ld];
        if (bad == 0 && (pivot == 0.0 || !isfinite(pivot)))
            bad = k + 1;
        for (size_t i = k + 1; i < m; i++)
            A[i + k * ld] /= pivot;
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = k + 1; i < m; i++)
                A[i + j * ld] -= A[i + k * ld] * A[k + j * ld];
    }
    return bad;
}

static size_t factor(size_t m, size_t n, double *A, size_t ld)
{
    if (n <= LEAF || m <= LEAF)
        return factor_leaf(m, n, A, ld);
    size_t h = (m < n ? m : n) / 2;
    size_t bad = factor(m, h, A, ld);
    if (bad > 0)
        return bad;
    double *right = A + h * ld;
    solve_left_lower_unit(h, n - h, A, ld, right, ld);
    subtract_product(m - h, n - h, h, A + h, ld, right, ld, 0, right + h, ld);
    bad = factor(m - h, n - h, right + h, ld);
    return bad > 0 ? bad + h : 0;
}

void kernel_getrf_nopiv(struct execution *x, size_t step, size_t first_column, struct tile A)
{
    const struct access accesses[] = {{A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "getrf", step, accesses, 1))
        return;
    size_t bad = factor(A.rows, A.cols, A.a, A.ld);
    if (bad > 0)
        execution_fail(x, first_column + bad);
    execution_leave(x);
}
