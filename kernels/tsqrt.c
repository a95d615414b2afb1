/* SPDX-License-Identifier: BSD-3-Clause
 * tsqrt: QR of a triangle on top of a full tile. */
#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/qr_blocks.h"

static double flops(struct call_sizes s)
{
    double n = s.n, ib = (double)smaller(s.ib, s.n);
    return s.m * n * (2 * n + ib);
}

const struct kernel about_tsqrt = {.name = "tsqrt",
                                   .count = "m n (2 n + min(ib, n))",
                                   .source = TILED_QR,
                                   .flops = flops,
                                   .bytes = bytes_of_solve};

void kernel_tsqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.origin, ACCESS_WRITE}, {T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, qr_call(&about_tsqrt, step, A, A.cols, T), accesses, 3))
        return;
    qr_blocks_factor(x, (struct qr_panel){R, A, false}, A.cols, T);
    qr_blocks_check(x, first_column, R, A.cols);
    execution_leave(x);
}
