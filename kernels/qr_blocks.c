/* SPDX-License-Identifier: BSD-3-Clause
 * Block by block, in the calling thread's workspace. */
#include "kernels/qr_blocks.h"

#include <math.h>

#include "common/base/sizes.h"
#include "kernels/dense/dgemm.h"

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

/* ---- the products Wᵀ = (V T)ᵀ, block after block, in the columns of T after the triangles ---- */

/* They take more memory than the tiles. It is worth it where transposing V takes a large part of a call's time, in
 * small tiles; narrow blocks, padded to a cache line, would take several times as much. */
enum { LARGEST_WITH_PRODUCTS = 64, LEAST_BLOCK_WITH_PRODUCTS = 8 };

static size_t columns_with_products(size_t rows, size_t cols, size_t ib)
{
    return cols + ceiling(cols, ib) * (ib + rows);
}

size_t kernel_qr_T_columns(size_t rows, size_t cols, size_t ib)
{
    bool products = larger(rows, cols) <= LARGEST_WITH_PRODUCTS &&
                    ib >= LEAST_BLOCK_WITH_PRODUCTS && !own_code();
    return products ? columns_with_products(rows, cols, ib) : cols;
}

static bool has_products(struct tile V, struct tile T)
{
    return T.cols >= columns_with_products(V.rows, V.cols, T.rows);
}

/* That of the `ib` reflectors from i on. */
static struct tile product_of_block(struct tile V, struct tile T, size_t i, size_t ib)
{
    size_t first = V.cols + i / T.rows * (T.rows + V.rows);
    return tile_submatrix(T, 0, first, ib, ib + V.rows);
}

static void apply_products(struct execution *x, struct reflectors H, struct operand C)
{
    double *workspace = execution_worker(x)->workspace;
    read_ahead(C.top);
    read_ahead(C.C);
    for (size_t i = 0; i < H.V.cols; i += H.T.rows) {
        size_t ib = smaller(H.V.cols - i, H.T.rows);
        struct operand rows = {tile_submatrix(C.top, i, 0, ib, C.C.cols), C.C};
        reflectors_apply_product(tile_submatrix(H.V, 0, i, H.V.rows, ib),
                                 product_of_block(H.V, H.T, i, ib), rows, workspace);
    }
}

/* ---- blocks ---- */

void qr_blocks_factor(struct execution *x, struct qr_panel p, size_t k, struct tile T)
{
    double *workspace = execution_worker(x)->workspace;
    for (size_t i = 0; i < k; i += T.rows) {
        size_t ib = smaller(k - i, T.rows);
        struct qr_panel rest = qr_panel_after(p, i), block = qr_panel_first(rest, ib);
        struct tile triangle = tile_submatrix(T, 0, i, ib, ib);
        struct reflectors H = qr_panel_reflectors(block, triangle);
        reflectors_factor(block, triangle, workspace);
        reflectors_apply(H, TRANSPOSE, qr_panel_rest(rest, ib), workspace);
        if (!p.trapezoid && has_products(p.A, T))
            reflectors_make_product(H, product_of_block(p.A, T, i, ib));
    }
}

void qr_blocks_apply(struct execution *x, enum transpose op, struct reflectors H, struct operand C)
{
    if (op == TRANSPOSE && !H.trapezoid && has_products(H.V, H.T)) {
        apply_products(x, H, C);
        return;
    }
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
