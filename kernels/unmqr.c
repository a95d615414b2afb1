/* SPDX-License-Identifier: BSD-3-Clause
 * unmqr: Q of one tile, as geqrt stores it, times another. */
#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/qr_blocks.h"

static double flops(struct call_sizes s)
{
    double k = s.k, ib = (double)smaller(s.ib, s.k);
    return s.n * k * (4.0 * s.m - 2 * k + ib);
}

const struct kernel about_unmqr = {.name = "unmqr",
                                   .count = "n k (4 m - 2 k + min(ib, k))",
                                   .source = TILED_QR,
                                   .flops = flops,
                                   .bytes = bytes_of_update};

void kernel_unmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C)
{
    const struct access accesses[] = {
        {V.origin, ACCESS_READ}, {T.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    if (!execution_enter(x, qr_call(&about_unmqr, step, C, smaller(V.rows, V.cols), T), accesses,
                         3))
        return;
    V.cols = smaller(V.rows, V.cols);
    qr_blocks_apply(x, op, (struct reflectors){V, T, true}, (struct operand){C, C});
    execution_leave(x);
}
