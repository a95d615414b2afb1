/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of reflectors: factored by recursive halving (Elmroth and Gustavson, "Applying recursion to
 * serial and parallel QR factorization leads to better performance", IBM Journal of Research and
 * Development 44(4), 2000), and applied by products that read V and C where they lie. */
#include "kernels/dense/reflectors.h"

#include <string.h>

#include "kernels/dense/householder.h"
#include "kernels/dense/product.h"

struct qr_panel qr_panel_after(struct qr_panel p, size_t k)
{
    p.R += k + k * p.ldr;
    p.A += k * p.lda;
    if (p.trapezoid) {
        p.A += k;
        p.rows -= k;
    }
    return p;
}

struct reflectors qr_panel_reflectors(struct qr_panel p, size_t k, const double *T, size_t ldt)
{
    return (struct reflectors){k, p.A, p.lda, p.rows, p.trapezoid, T, ldt};
}

struct operand qr_panel_operand(struct qr_panel p, size_t k)
{
    return (struct operand){p.R + k * p.ldr, p.ldr, p.A + k * p.lda, p.lda};
}

/* Two k × n products. */
size_t reflectors_workspace_doubles(size_t n, size_t k)
{
    return 2 * k * n;
}

/* ---- application ---- */

/* W := Vᵀ C */
static void inner_product(const struct reflectors *H, size_t n, struct operand C, double *W)
{
    size_t k = H->k;
    if (H->trapezoid) {
        product_transposed(PRODUCT_ASSIGN, SHAPE_UNIT_LOWER, k, n, H->rows, H->V, H->ldv, C.C,
                           C.ldc, W, k);
        return;
    }
    for (size_t j = 0; j < n; j++)
        memcpy(W + j * k, C.top + j * C.ldtop, k * sizeof *W);
    product_transposed(PRODUCT_ADD, SHAPE_GENERAL, k, n, H->rows, H->V, H->ldv, C.C, C.ldc, W, k);
}

/* X := Tᵀ W or T W */
static void triangle_product(const struct reflectors *H, enum transpose op, size_t n,
                             const double *W, double *X)
{
    size_t k = H->k;
    if (op == TRANSPOSE)
        product_transposed(PRODUCT_ASSIGN, SHAPE_UPPER, k, n, k, H->T, H->ldt, W, k, X, k);
    else
        product_plain(PRODUCT_ASSIGN, SHAPE_UPPER, k, n, k, H->T, H->ldt, W, k, X, k);
}

/* C := C - V X */
static void subtract_outer_product(const struct reflectors *H, size_t n, const double *X,
                                   struct operand C)
{
    size_t k = H->k;
    if (!H->trapezoid)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < k; i++)
                C.top[i + j * C.ldtop] -= X[i + j * k];
    product_plain(PRODUCT_SUBTRACT, H->trapezoid ? SHAPE_UNIT_LOWER : SHAPE_GENERAL, H->rows, n, k,
                  H->V, H->ldv, X, k, C.C, C.ldc);
}

void reflectors_apply(const struct reflectors *H, enum transpose op, size_t n, struct operand C,
                      double *workspace)
{
    double *W = workspace, *X = W + H->k * n;
    inner_product(H, n, C, W);
    triangle_product(H, op, n, W, X);
    subtract_outer_product(H, n, X, C);
}

/* ---- factorization ---- */

/* G := V2ᵀ V1, the products of the reflectors of the right columns and of the left ones, which have no
 * element where the right ones begin but below. */
static void products_of_halves(struct qr_panel p, size_t left, size_t right, double *G)
{
    const double *V1 = p.A, *V2 = p.A + left * p.lda;
    if (p.trapezoid)
        product_transposed(PRODUCT_ASSIGN, SHAPE_UNIT_LOWER, right, left, p.rows - left, V2 + left,
                           p.lda, V1 + left, p.lda, G, right);
    else
        product_transposed(PRODUCT_ASSIGN, SHAPE_GENERAL, right, left, p.rows, V2, p.lda, V1, p.lda,
                           G, right);
}

/* T := (T1, -T1 Gᵀ T2; 0, T2). G is used up. */
static void join_triangles(size_t left, size_t right, double *G, double *T, size_t ldt, double *X)
{
    double *T12 = T + left * ldt;
    product_transposed(PRODUCT_ASSIGN, SHAPE_UPPER, right, left, right, T12 + left, ldt, G, right,
                       X, right);
    for (size_t j = 0; j < right; j++)
        for (size_t i = 0; i < left; i++) {
            G[i + j * left] = X[j + i * right];
            T12[i + j * ldt] = 0;
        }
    product_plain(PRODUCT_SUBTRACT, SHAPE_UPPER, left, right, left, T, ldt, G, left, T12, ldt);
    for (size_t j = 0; j < left; j++)
        memset(T + left + j * ldt, 0, right * sizeof *T);
}

void reflectors_factor(struct qr_panel p, size_t k, double *T, size_t ldt, double *workspace)
{
    if (k <= HOUSEHOLDER_COLUMNS) {
        householder_columns(p, k, T, ldt);
        return;
    }
    /* The left half is whole groups of columns, which have faster code. */
    size_t groups = (k + HOUSEHOLDER_COLUMNS - 1) / HOUSEHOLDER_COLUMNS;
    size_t left = groups / 2 * HOUSEHOLDER_COLUMNS, right = k - left;
    reflectors_factor(p, left, T, ldt, workspace);
    struct reflectors H = qr_panel_reflectors(p, left, T, ldt);
    reflectors_apply(&H, TRANSPOSE, right, qr_panel_operand(p, left), workspace);
    reflectors_factor(qr_panel_after(p, left), right, T + left + left * ldt, ldt, workspace);
    products_of_halves(p, left, right, workspace);
    join_triangles(left, right, workspace, T, ldt, workspace + left * right);
}
