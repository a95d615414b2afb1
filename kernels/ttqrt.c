/* SPDX-License-Identifier: BSD-3-Clause
 * ttqrt: QR of a triangle on top of another, by LAPACK's dtpqrt with as many trapezoidal rows as A has. */
#include <lapacke.h>

#include "common/base/sizes.h"
#include "kernels/qr_blocks.h"

void kernel_ttqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.origin, ACCESS_WRITE}, {T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "ttqrt", step, accesses, 3))
        return;
    int rows = (int)smaller(A.rows, A.cols), cols = (int)A.cols;
    int ib = (int)smaller(T.rows, A.cols); /* LAPACK wants 1 <= ib <= cols */
    LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, rows, cols, rows, ib, R.a, (int)R.ld, A.a, (int)A.ld, T.a,
                        (int)T.ld, execution_worker(x)->workspace);
    qr_blocks_check(x, first_column, R, A.cols);
    execution_leave(x);
}
