/* SPDX-License-Identifier: BSD-3-Clause
 * Selects the code for each shape. */
#include "kernels/dense/product.h"

#include <cblas.h>

#include "common/base/sizes.h"
#include "kernels/dense/choice.h"
#include "kernels/dense/dgemm.h"
#include "kernels/dense/openblas_core.h"

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
    if (own_code() && C.cols >= VECTOR_MULTIPLE) {
        size_t whole = C.cols - C.cols % VECTOR_MULTIPLE;
        struct tile left = tile_submatrix(C, 0, 0, C.rows, whole);
        own_code()->subtract_product(&A, op, &B, &left);
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

/* The lower triangle of C, by dsyrk, or halves that are multiples of a vector. */
static void subtract_triangle(struct tile A, struct tile C)
{
    enum { VECTOR = 8 };
    size_t n = C.cols, half = ceiling(n / 2, VECTOR) * VECTOR;
    if (own_code() || n <= openblas_core()->symmetric) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)A.cols, -1.0, A.a,
                    (int)A.ld, 1.0, C.a, (int)C.ld);
        return;
    }
    struct tile A1 = tile_part(A, 0, half);
    subtract_triangle(A1, tile_submatrix(C, 0, 0, half, half));
    subtract_product(rows_from(A, half), TRANSPOSE, A1, tile_submatrix(C, half, 0, n - half, half));
    subtract_triangle(rows_from(A, half), tile_submatrix(C, half, half, n - half, n - half));
}

void subtract_symmetric_product(struct tile A, struct tile C)
{
    size_t n = C.cols;
    if (own_code() && n % VECTOR_MULTIPLE == 0) {
        own_code()->subtract_symmetric_product(&A, &C);
        return;
    }
    struct tile A1 = tile_part(A, 0, n);
    if (C.rows > n)
        subtract_product(rows_from(A, n), TRANSPOSE, A1, rows_from(C, n));
    subtract_triangle(A1, tile_part(C, 0, n));
}

/* ---- copies of parts of a factor, for the calling thread's next product ---- */

/* Most rows and columns of a copy; its leading dimension. */
enum { COPY = 128, COPY_LD = COPY + 8 };

static _Thread_local double copied[COPY_LD * COPY];

/* Element (i, j) of a matrix of which only that shape is stored. */
static double element(enum shape shape, struct tile A, size_t i, size_t j)
{
    if (shape == SHAPE_UNIT_LOWER && i <= j)
        return i == j ? 1.0 : 0.0;
    return A.a[i + j * A.ld];
}

/* The unit lower triangle with its ones and zeros. */
static struct tile whole_triangle(struct tile L)
{
    for (size_t j = 0; j < L.cols; j++)
        for (size_t i = 0; i < L.cols; i++)
            copied[i + j * COPY_LD] = element(SHAPE_UNIT_LOWER, L, i, j);
    return tile_view(copied, L.cols, L.cols, COPY_LD);
}

/* to(j, i) := from(i, j) for a block of rows × cols. With constant sizes, compilers make it of vectors. */
static inline void transpose_block(const double *from, size_t ld, double *to, size_t rows,
                                   size_t cols)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            to[j + i * COPY_LD] = from[i + j * ld];
}

/* The transpose of all of A. */
static void copy_transposed(struct tile A)
{
    enum { BLOCK = 4 };
    for (size_t j = 0; j < A.cols; j += BLOCK)
        for (size_t i = 0; i < A.rows; i += BLOCK) {
            const double *from = A.a + i + j * A.ld;
            double *to = copied + j + i * COPY_LD;
            if (A.rows - i >= BLOCK && A.cols - j >= BLOCK)
                transpose_block(from, A.ld, to, BLOCK, BLOCK);
            else
                transpose_block(from, A.ld, to, smaller(BLOCK, A.rows - i),
                                smaller(BLOCK, A.cols - j));
        }
}

/* The transpose of columns [j, j + cols) and rows [i, i + rows), which hold a part of the diagonal. */
static void copy_trapezoid_transposed(struct tile A, size_t i, size_t rows, size_t j, size_t cols)
{
    enum { LINE = 8 };
    for (size_t line = 0; line < rows; line += LINE)
        for (size_t c = 0; c < cols; c++)
            for (size_t r = line; r < smaller(line + LINE, rows); r++)
                copied[c + r * COPY_LD] = element(SHAPE_UNIT_LOWER, A, i + r, j + c);
}

/* The transpose of columns [j, j + cols) and rows [i, i + rows). */
static struct tile transposed_part(enum shape shape, struct tile A, size_t i, size_t rows, size_t j,
                                   size_t cols)
{
    if (shape == SHAPE_UNIT_LOWER && i < j + cols)
        copy_trapezoid_transposed(A, i, rows, j, cols);
    else
        copy_transposed(tile_submatrix(A, i, j, rows, cols));
    return tile_view(copied, cols, rows, COPY_LD);
}

/* ---- a unit lower trapezoid times a matrix ---- */

/* Largest triangle that is not halved. */
enum { TRIANGLE = 32 };

/* C := C - L B with a unit lower triangle. */
static void subtract_triangle_product(struct tile L, struct tile B, struct tile C)
{
    if (own_code()) {
        own_code()->subtract_triangle_product(&L, &B, &C);
        return;
    }
    if (L.cols <= TRIANGLE) {
        dgemm_in_pieces(-1.0, whole_triangle(L), NO_TRANSPOSE, B, 1.0, C);
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

/* The largest C for which OpenBLAS does not pack the factors of Aᵀ B, where it treats small products specially. */
enum { UNPACKED_ELEMENTS = 1200 };

/* Whether a copy of A's transpose pays. */
static bool worth_a_copy(struct tile C)
{
    return openblas_core()->copy_transposed && C.rows * C.cols > UNPACKED_ELEMENTS;
}

/* C := beta C + Aᵀ B, by products with the transpose of A. */
static void product_with_transpose(double beta, enum shape shape, struct tile A, struct tile B,
                                   struct tile C)
{
    for (size_t j = 0; j < A.cols; j += COPY)
        for (size_t i = 0; i < A.rows; i += COPY) {
            size_t cols = smaller(COPY, A.cols - j), rows = smaller(COPY, A.rows - i);
            dgemm_in_pieces(1.0, transposed_part(shape, A, i, rows, j, cols), NO_TRANSPOSE,
                            tile_part(B, i, rows), i == 0 ? beta : 1.0, tile_part(C, j, cols));
        }
}

/* The same, with a copy of no more than the triangle whose ones and zeros are not stored. */
static void product_in_place(double beta, enum shape shape, struct tile A, struct tile B,
                             struct tile C)
{
    if (shape == SHAPE_UNIT_LOWER) {
        size_t k = smaller(A.rows, A.cols);
        product_with_transpose(beta, shape, tile_part(A, 0, k), tile_part(B, 0, k), C);
        if (A.rows == k)
            return;
        A = rows_from(A, k);
        B = rows_from(B, k);
        beta = 1.0;
    }
    dgemm(1.0, TRANSPOSE, A, NO_TRANSPOSE, B, beta, C);
}

void product_transposed(enum update update, enum shape shape, struct tile A, struct tile B,
                        struct tile C)
{
    double beta = update == UPDATE_ADD ? 1.0 : 0.0;
    if (own_code())
        own_code()->product_transposed(update, shape, &A, &B, &C);
    else if (worth_a_copy(C) || (shape == SHAPE_UNIT_LOWER && openblas_core()->copy_transposed))
        product_with_transpose(beta, shape, A, B, C);
    else
        product_in_place(beta, shape, A, B, C);
}
