/* SPDX-License-Identifier: BSD-3-Clause
 * tsmqr: Q of a triangle on top of a full tile, as tsqrt stores it, times a pair of tiles. */
#include "kernels/qr_blocks.h"

void kernel_tsmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2)
{
    const struct access accesses[] = {{V.origin, ACCESS_READ},
                                      {T.origin, ACCESS_READ},
                                      {C1.origin, ACCESS_WRITE},
                                      {C2.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "tsmqr", step, accesses, 4))
        return;
    qr_blocks_apply(x, op, (struct reflectors){V, T, false}, (struct operand){C1, C2});
    execution_leave(x);
}
