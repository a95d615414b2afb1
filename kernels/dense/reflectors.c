/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of reflectors: factored by recursive halving (Elmroth and Gustavson, "Applying recursion to
 * serial and parallel QR factorization leads to better performance", IBM Journal of Research and
 * Development 44(4), 2000), and applied by products that read V and C in place. */
#include "kernels/dense/reflectors.h"

#include "common/base/sizes.h"
#include "kernels/dense/dgemm.h"
#include "kernels/dense/householder.h"
#include "kernels/dense/product.h"

struct qr_panel qr_panel_first(struct qr_panel p, size_t k)
{
    p.R.cols = k;
    p.A.cols = k;
    return p;
}

struct qr_panel qr_panel_after(struct qr_panel p, size_t k)
{
    size_t rows = p.trapezoid ? k : 0;
    p.R = tile_submatrix(p.R, k, k, p.R.rows - k, p.R.cols - k);
    p.A = tile_submatrix(p.A, rows, k, p.A.rows - rows, p.A.cols - k);
    return p;
}

struct operand qr_panel_rest(struct qr_panel p, size_t k)
{
    size_t cols = p.A.cols - k;
    return (struct operand){tile_submatrix(p.R, 0, k, k, cols),
                            tile_submatrix(p.A, 0, k, p.A.rows, cols)};
}

struct reflectors qr_panel_reflectors(struct qr_panel p, struct tile T)
{
    return (struct reflectors){p.A, T, p.trapezoid};
}

struct reflectors reflectors_block(struct reflectors H, size_t i, size_t k)
{
    size_t rows = H.trapezoid ? i : 0;
    return (struct reflectors){tile_submatrix(H.V, rows, i, H.V.rows - rows, k),
                               tile_submatrix(H.T, 0, i, k, k), H.trapezoid};
}

/* Two k × n products. */
size_t reflectors_workspace_doubles(size_t n, size_t k)
{
    return 2 * k * n;
}

/* ---- application ---- */

/* W := Vᵀ C */
static void inner_product(struct reflectors H, struct operand C, struct tile W)
{
    if (H.trapezoid) {
        product_transposed(UPDATE_ASSIGN, SHAPE_UNIT_LOWER, H.V, C.C, W);
        return;
    }
    tile_copy(C.top, W);
    product_transposed(UPDATE_ADD, SHAPE_GENERAL, H.V, C.C, W);
}

/* X := Tᵀ W or T W */
static void triangle_product(struct tile T, enum transpose op, struct tile W, struct tile X)
{
    if (op == TRANSPOSE)
        product_transposed(UPDATE_ASSIGN, SHAPE_UPPER, T, W, X);
    else
        assign_product(T, W, X);
}

/* C := C - X */
static void subtract_rows(struct tile X, struct tile C)
{
    for (size_t j = 0; j < X.cols; j++) {
        const double *restrict x = X.a + j * X.ld;
        double *restrict c = C.a + j * C.ld;
        for (size_t i = 0; i < X.rows; i++)
            c[i] -= x[i];
    }
}

/* C := C - V X */
static void subtract_outer_product(struct reflectors H, struct tile X, struct operand C)
{
    if (H.trapezoid) {
        subtract_trapezoid_product(H.V, X, C.C);
        return;
    }
    subtract_rows(X, C.top);
    subtract_product(H.V, NO_TRANSPOSE, X, C.C);
}

void reflectors_apply(struct reflectors H, enum transpose op, struct operand C, double *workspace)
{
    size_t k = H.V.cols, n = C.C.cols;
    struct tile W = tile_view(workspace, k, n, k), X = tile_view(workspace + k * n, k, n, k);
    inner_product(H, C, W);
    triangle_product(H.T, op, W, X);
    subtract_outer_product(H, X, C);
}

void reflectors_make_product(struct reflectors H, struct tile W)
{
    size_t k = H.V.cols;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++)
            W.a[i + j * W.ld] = H.T.a[j + i * H.T.ld];
    dgemm(1.0, TRANSPOSE, H.T, TRANSPOSE, H.V, 0.0, tile_submatrix(W, 0, k, k, H.V.rows));
}

void reflectors_apply_product(struct tile V, struct tile W, struct operand C, double *workspace)
{
    size_t k = V.cols, n = C.C.cols;
    struct tile X = tile_view(workspace, k, n, k);
    dgemm(1.0, NO_TRANSPOSE, tile_submatrix(W, 0, 0, k, k), NO_TRANSPOSE, C.top, 0.0, X);
    dgemm(1.0, NO_TRANSPOSE, tile_submatrix(W, 0, k, k, V.rows), NO_TRANSPOSE, C.C, 1.0, X);
    subtract_rows(X, C.top);
    dgemm(-1.0, NO_TRANSPOSE, V, NO_TRANSPOSE, X, 1.0, C.C);
}

/* ---- factorization ---- */

/* G := V₂ᵀ V₁, the products of the reflectors of the right columns and of the left ones: only rows from the
 * first of the right ones on contribute. */
static void products_of_halves(struct qr_panel left, struct qr_panel right, struct tile G)
{
    if (right.trapezoid)
        product_transposed(UPDATE_ASSIGN, SHAPE_UNIT_LOWER, right.A,
                           tile_part(left.A, left.A.cols, right.A.rows), G);
    else
        product_transposed(UPDATE_ASSIGN, SHAPE_GENERAL, right.A, left.A, G);
}

/* T := (T₁, -T₁ Gᵀ T₂; 0, T₂), where T₁ is of order `left`. G and X hold as many elements as each other;
 * G is used up. */
static void join_triangles(size_t left, struct tile T, struct tile G, double *X)
{
    size_t right = T.cols - left;
    struct tile T1 = tile_submatrix(T, 0, 0, left, left);
    struct tile T2 = tile_submatrix(T, left, left, right, right);
    struct tile T12 = tile_submatrix(T, 0, left, left, right);
    struct tile P = tile_view(X, right, left, right);
    struct tile transposed = tile_view(G.a, left, right, left);
    product_transposed(UPDATE_ASSIGN, SHAPE_UPPER, T2, G, P);
    for (size_t j = 0; j < right; j++)
        for (size_t i = 0; i < left; i++) {
            transposed.a[i + j * left] = X[j + i * right];
            T12.a[i + j * T.ld] = 0;
        }
    subtract_product(T1, NO_TRANSPOSE, transposed, T12);
    tile_clear(tile_submatrix(T, left, 0, right, left));
}

void reflectors_factor(struct qr_panel p, struct tile T, double *workspace)
{
    size_t k = p.A.cols;
    if (k <= HOUSEHOLDER_COLUMNS) {
        householder_columns(p, T);
        return;
    }
    /* The left half consists of whole groups of columns, which have faster code. */
    size_t groups = ceiling(k, HOUSEHOLDER_COLUMNS);
    size_t left = groups / 2 * HOUSEHOLDER_COLUMNS, right = k - left;
    struct tile T1 = tile_submatrix(T, 0, 0, left, left);
    struct tile T2 = tile_submatrix(T, left, left, right, right);
    struct qr_panel p1 = qr_panel_first(p, left), p2 = qr_panel_after(p, left);
    reflectors_factor(p1, T1, workspace);
    reflectors_apply(qr_panel_reflectors(p1, T1), TRANSPOSE, qr_panel_rest(p, left), workspace);
    reflectors_factor(p2, T2, workspace);
    struct tile G = tile_view(workspace, right, left, right);
    products_of_halves(p1, p2, G);
    join_triangles(left, T, G, workspace + left * right);
}
