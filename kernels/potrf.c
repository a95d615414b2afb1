/* SPDX-License-Identifier: BSD-3-Clause
 * potrf: Cholesky factorization of a diagonal tile. */
#include <lapacke.h>
#include <math.h>

#include "kernels/kernels.h"

/* 1-based first column whose diagonal is not finite, or 0: dpotrf tests only for "<= 0", which a
 * NaN passes. */
static size_t first_bad_diagonal(struct tile A)
{
    for (size_t j = 0; j < A.cols; j++)
        if (!isfinite(A.a[j + j * A.ld]))
            return j + 1;
    return 0;
}

void kernel_potrf(struct execution *x, size_t step, size_t first_column, struct tile A)
{
    const struct access accesses[] = {{A.a, ACCESS_WRITE}};
    if (!execution_enter(x, "potrf", step, accesses, 1))
        return;
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)A.cols, A.a, (int)A.ld);
    size_t bad = first_bad_diagonal(A);
    if (info > 0 && (bad == 0 || (size_t)info < bad))
        bad = (size_t)info;
    if (bad > 0)
        execution_fail(x, first_column + bad);
    execution_leave(x);
}
