/* SPDX-License-Identifier: BSD-3-Clause
 * unmqr: Q of one tile, as geqrt stores it, times another. */
#include "common/base/sizes.h"
#include "kernels/qr_blocks.h"

void kernel_unmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C)
{
    const struct access accesses[] = {
        {V.origin, ACCESS_READ}, {T.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "unmqr", step, accesses, 3))
        return;
    V.cols = smaller(V.rows, V.cols);
    qr_blocks_apply(x, op, (struct reflectors){V, T, true}, (struct operand){C, C});
    execution_leave(x);
}
