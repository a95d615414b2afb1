/* SPDX-License-Identifier: BSD-3-Clause
 * geqrt: QR of one tile. */
#include "common/base/sizes.h"
#include "kernels/qr_blocks.h"

void kernel_geqrt(struct execution *x, size_t step, size_t first_column, struct tile A,
                  struct tile T)
{
    const struct access accesses[] = {{T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "geqrt", step, accesses, 2))
        return;
    size_t k = smaller(A.rows, A.cols);
    qr_blocks_factor(x, (struct qr_panel){A, A, true}, k, T);
    qr_blocks_check(x, first_column, A, k);
    execution_leave(x);
}
