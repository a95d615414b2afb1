/* SPDX-License-Identifier: BSD-3-Clause
 * ttqrt: QR of a triangle on top of another, by LAPACK's dtpqrt with as many trapezoidal rows as A has. */
#include <lapacke.h>
#include <stdlib.h>

#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/qr_blocks.h"

static double flops(struct call_sizes s)
{
    double m = s.m, n = s.n, ib = (double)smaller(s.ib, s.n);
    return 2 * m * m * (n - 2 * m / 3) + ib * n * m / 2;
}

const struct kernel about_ttqrt = {.name = "ttqrt",
                                   .count = "2 m^2 (n - 2 m/3) + min(ib, n) n m/2",
                                   .source = TREE_QR,
                                   .flops = flops,
                                   .bytes = bytes_of_solve};

void kernel_ttqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.origin, ACCESS_WRITE}, {T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    struct tile triangle = tile_part(A, 0, smaller(A.rows, A.cols));
    if (!execution_enter(x, qr_call(&about_ttqrt, step, triangle, A.cols, T), accesses, 3))
        return;
    int rows = (int)smaller(A.rows, A.cols), cols = (int)A.cols;
    int ib = (int)smaller(T.rows, A.cols); /* LAPACK requires 1 <= ib <= cols */
    int info = LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, rows, cols, rows, ib, R.a, (int)R.ld, A.a,
                                   (int)A.ld, T.a, (int)T.ld, execution_worker(x)->workspace);
    if (info != 0) /* an argument of ours is wrong */
        abort();
    qr_blocks_check(x, first_column, R, A.cols);
    execution_leave(x);
}
