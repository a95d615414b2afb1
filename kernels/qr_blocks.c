/* SPDX-License-Identifier: BSD-3-Clause
 * Block by block, in the calling thread's workspace. */
#include "kernels/qr_blocks.h"

#include <math.h>

#include "common/base/sizes.h"

size_t kernel_qr_workspace_doubles(size_t columns, size_t ib)
{
    return reflectors_workspace_doubles(columns, smaller(ib, columns));
}

struct call qr_call(const struct kernel *kernel, size_t step, struct tile written, size_t k,
                    struct tile T)
{
    struct call call = {kernel, step, sizes_mnk(written.rows, written.cols, k)};
    call.sizes.ib = (uint32_t)T.rows;
    return call;
}

void qr_blocks_factor(struct execution *x, struct qr_panel p, size_t k, struct tile T)
{
    double *workspace = execution_worker(x)->workspace;
    for (size_t i = 0; i < k; i += T.rows) {
        size_t ib = smaller(k - i, T.rows);
        struct qr_panel rest = qr_panel_after(p, i), block = qr_panel_first(rest, ib);
        struct tile triangle = tile_submatrix(T, 0, i, ib, ib);
        reflectors_factor(block, triangle, workspace);
        reflectors_apply(qr_panel_reflectors(block, triangle), TRANSPOSE, qr_panel_rest(rest, ib),
                         workspace);
    }
}

void qr_blocks_apply(struct execution *x, enum transpose op, struct reflectors H, struct operand C)
{
    double *workspace = execution_worker(x)->workspace;
    size_t inner = H.T.rows, k = H.V.cols, blocks = ceiling(k, inner), n = C.C.cols;
    for (size_t b = 0; b < blocks; b++) {
        size_t i = (op == TRANSPOSE ? b : blocks - 1 - b) * inner, ib = smaller(k - i, inner);
        struct reflectors block = reflectors_block(H, i, ib);
        struct operand rows = {tile_submatrix(C.top, i, 0, ib, n),
                               tile_submatrix(C.C, H.trapezoid ? i : 0, 0, block.V.rows, n)};
        reflectors_apply(block, op, rows, workspace);
    }
}

void qr_blocks_check(struct execution *x, size_t first_column, struct tile R, size_t count)
{
    for (size_t j = 0; j < count; j++)
        if (!isfinite(R.a[j + j * R.ld])) {
            execution_fail(x, first_column + j + 1);
            return;
        }
}
