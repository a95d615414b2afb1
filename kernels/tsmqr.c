/* SPDX-License-Identifier: BSD-3-Clause
 * tsmqr: Q of a triangle on top of a full tile, as tsqrt stores it, times a pair of tiles. */
#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/qr_blocks.h"

static double flops(struct call_sizes s)
{
    double k = s.k, ib = (double)smaller(s.ib, s.k);
    return s.n * k * (4.0 * s.m + ib);
}

const struct kernel about_tsmqr = {.name = "tsmqr",
                                   .count = "n k (4 m + min(ib, k))",
                                   .source = TILED_QR,
                                   .flops = flops,
                                   .bytes = bytes_of_product};

void kernel_tsmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2)
{
    const struct access accesses[] = {{V.origin, ACCESS_READ},
                                      {T.origin, ACCESS_READ},
                                      {C1.origin, ACCESS_WRITE},
                                      {C2.origin, ACCESS_WRITE}};
    if (!execution_enter(x, qr_call(&about_tsmqr, step, C2, V.cols, T), accesses, 4))
        return;
    qr_blocks_apply(x, op, (struct reflectors){V, T, false}, (struct operand){C1, C2});
    execution_leave(x);
}
