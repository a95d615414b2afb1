/* SPDX-License-Identifier: BSD-3-Clause
 * Selects the code for each shape. */
#include "kernels/dense/product.h"

#include <cblas.h>
#include <string.h>

#include "kernels/avx512/product.h"
#include "kernels/dense/choice.h"
#include "kernels/dense/dgemm.h"

static struct tile columns_from(struct tile t, size_t first)
{
    return tile_submatrix(t, 0, first, t.rows, t.cols - first);
}

static struct tile rows_from(struct tile t, size_t first)
{
    return tile_submatrix(t, first, 0, t.rows - first, t.cols);
}

void subtract_product(struct tile A, enum transpose op, struct tile B, struct tile C)
{
    if (use_avx512() && C.cols >= AVX512_MULTIPLE) {
        size_t whole = C.cols - C.cols % AVX512_MULTIPLE;
        struct tile left = tile_submatrix(C, 0, 0, C.rows, whole);
        avx512_subtract_product(&A, op, &B, &left);
        C = columns_from(C, whole);
        B = op == TRANSPOSE ? rows_from(B, whole) : columns_from(B, whole);
    }
    if (C.cols > 0)
        dgemm_in_pieces(-1.0, A, op, B, 1.0, C);
}

void assign_product(struct tile A, struct tile B, struct tile C)
{
    dgemm(1.0, NO_TRANSPOSE, A, NO_TRANSPOSE, B, 0.0, C);
}

/* ---- the lower trapezoid of a symmetric product ---- */

void subtract_symmetric_product(struct tile A, struct tile C)
{
    size_t n = C.cols;
    if (use_avx512() && n % AVX512_MULTIPLE == 0) {
        avx512_subtract_symmetric_product(&A, &C);
        return;
    }
    if (C.rows > n)
        subtract_product(rows_from(A, n), TRANSPOSE, tile_submatrix(A, 0, 0, n, A.cols),
                         rows_from(C, n));
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)A.cols, -1.0, A.a, (int)A.ld,
                1.0, C.a, (int)C.ld);
}

/* ---- a unit lower trapezoid times a matrix ---- */

/* Largest triangle that is not halved. */
enum { SMALL = 16 };

/* C := C - L B with a small unit lower triangle. */
static void subtract_small_triangle_product(struct tile L, struct tile B, struct tile C)
{
    for (size_t j = 0; j < C.cols; j++)
        for (size_t l = 0; l < L.cols; l++) {
            double b = B.a[l + j * B.ld], *c = C.a + j * C.ld;
            c[l] -= b;
            for (size_t i = l + 1; i < L.cols; i++)
                c[i] -= L.a[i + l * L.ld] * b;
        }
}

/* C := C - L B with a unit lower triangle. */
static void subtract_triangle_product(struct tile L, struct tile B, struct tile C)
{
    if (use_avx512()) {
        avx512_subtract_triangle_product(&L, &B, &C);
        return;
    }
    if (L.cols <= SMALL) {
        subtract_small_triangle_product(L, B, C);
        return;
    }
    size_t m = L.cols, half = m / 2;
    struct tile B1 = tile_submatrix(B, 0, 0, half, B.cols), C2 = rows_from(C, half);
    subtract_triangle_product(tile_submatrix(L, 0, 0, half, half), B1,
                              tile_submatrix(C, 0, 0, half, C.cols));
    dgemm_in_pieces(-1.0, tile_submatrix(L, half, 0, m - half, half), NO_TRANSPOSE, B1, 1.0, C2);
    subtract_triangle_product(tile_submatrix(L, half, half, m - half, m - half), rows_from(B, half),
                              C2);
}

void subtract_trapezoid_product(struct tile L, struct tile B, struct tile C)
{
    size_t k = L.cols;
    subtract_triangle_product(tile_submatrix(L, 0, 0, k, k), B, tile_submatrix(C, 0, 0, k, C.cols));
    subtract_product(rows_from(L, k), NO_TRANSPOSE, B, rows_from(C, k));
}

/* ---- a transposed matrix times a matrix ---- */

/* C := Lᵀ B with a unit lower trapezoid. */
static void trapezoid_transposed(struct tile L, struct tile B, struct tile C)
{
    size_t k = L.cols;
    for (size_t j = 0; j < C.cols; j++)
        memcpy(C.a + j * C.ld, B.a + j * B.ld, k * sizeof *C.a);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasUnit, (int)k, (int)C.cols,
                1.0, L.a, (int)L.ld, C.a, (int)C.ld);
    dgemm(1.0, TRANSPOSE, rows_from(L, k), NO_TRANSPOSE, rows_from(B, k), 1.0, C);
}

void product_transposed(enum update update, enum shape shape, struct tile A, struct tile B,
                        struct tile C)
{
    if (use_avx512())
        avx512_product_transposed(update, shape, &A, &B, &C);
    else if (shape == SHAPE_UNIT_LOWER)
        trapezoid_transposed(A, B, C);
    else
        dgemm(1.0, TRANSPOSE, A, NO_TRANSPOSE, B, update == UPDATE_ADD ? 1.0 : 0.0, C);
}
