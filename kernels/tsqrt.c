/* SPDX-License-Identifier: BSD-3-Clause
 * tsqrt: QR of a triangle on top of a full tile. */
#include "kernels/qr_blocks.h"

void kernel_tsqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.origin, ACCESS_WRITE}, {T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "tsqrt", step, accesses, 3))
        return;
    qr_blocks_factor(x, (struct qr_panel){R, A, false}, A.cols, T);
    qr_blocks_check(x, first_column, R, A.cols);
    execution_leave(x);
}
