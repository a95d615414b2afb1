/* SPDX-License-Identifier: BSD-3-Clause
 * Each product walks the rows of tiles in the order in which it can overwrite its operand. */
#include "kernels/products.h"

#include <cblas.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct tile row_block(const struct tile_matrix *X, size_t i)
{
    return tile_at(X, i, 0);
}

/* Y := Y + op(A) X, with op(A) m × k. */
static void add_product(CBLAS_TRANSPOSE op, size_t m, size_t k, const double *A, size_t lda,
                        const double *X, size_t ldx, struct tile Y)
{
    cblas_dgemm(CblasColMajor, op, CblasNoTrans, (int)m, (int)Y.cols, (int)k, 1.0, A, (int)lda, X,
                (int)ldx, 1.0, Y.a, (int)Y.ld);
}

static void multiply_triangle(CBLAS_UPLO uplo, CBLAS_TRANSPOSE op, CBLAS_DIAG diag, size_t order,
                              struct tile A, struct tile Y)
{
    cblas_dtrmm(CblasColMajor, CblasLeft, uplo, op, diag, (int)order, (int)Y.cols, 1.0, A.a,
                (int)A.ld, Y.a, (int)Y.ld);
}

static void clear_rows_from(struct tile Y, size_t first)
{
    for (size_t j = 0; j < Y.cols; j++)
        memset(Y.a + first + j * Y.ld, 0, (Y.rows - first) * sizeof(double));
}

/* The first rows of X, then zeros. */
static void copy_rows(struct tile X, struct tile Y, size_t rows)
{
    for (size_t j = 0; j < Y.cols; j++)
        memcpy(Y.a + j * Y.ld, X.a + j * X.ld, rows * sizeof(double));
    clear_rows_from(Y, rows);
}

void copy_tiles(const struct tile_matrix *X, struct tile_matrix *Y)
{
    for (size_t i = 0; i < X->mt; i++)
        copy_rows(row_block(X, i), row_block(Y, i), tile_rows(X, i));
}

void multiply_upper(const struct tile_matrix *A, const struct tile_matrix *X, struct tile_matrix *Y)
{
    for (size_t i = 0; i < A->mt; i++) {
        struct tile Yi = row_block(Y, i);
        struct tile Aii = tile_at(A, i, smaller(i, A->nt - 1));
        size_t order = i < A->nt ? smaller(Aii.rows, Aii.cols) : 0;
        struct tile Xi = i < A->nt ? row_block(X, i) : Yi;
        copy_rows(Xi, Yi, order);
        if (order == 0)
            continue;
        multiply_triangle(CblasUpper, CblasNoTrans, CblasNonUnit, order, Aii, Yi);
        if (Aii.cols > order)
            add_product(CblasNoTrans, order, Aii.cols - order, Aii.a + order * Aii.ld, Aii.ld,
                        Xi.a + order, Xi.ld, Yi);
        for (size_t j = i + 1; j < A->nt; j++) {
            struct tile Aij = tile_at(A, i, j);
            struct tile Xj = row_block(X, j);
            add_product(CblasNoTrans, Aij.rows, Aij.cols, Aij.a, Aij.ld, Xj.a, Xj.ld, Yi);
        }
    }
}

/* The tile row i of L Y, given that rows above i still hold the operand. */
static void multiply_lower_row(const struct tile_matrix *A, size_t i, CBLAS_DIAG diag,
                               struct tile_matrix *Y)
{
    struct tile Yi = row_block(Y, i);
    if (i < A->nt) {
        struct tile Aii = tile_at(A, i, i);
        size_t order = smaller(Aii.rows, Aii.cols);
        struct tile below = {Yi.a + order, Yi.rows - order, Yi.cols, Yi.ld};
        clear_rows_from(below, 0);
        if (below.rows > 0)
            add_product(CblasNoTrans, below.rows, order, Aii.a + order, Aii.ld, Yi.a, Yi.ld, below);
        multiply_triangle(CblasLower, CblasNoTrans, diag, order, Aii, Yi);
    } else {
        clear_rows_from(Yi, 0);
    }
    for (size_t j = 0; j < smaller(i, A->nt); j++) {
        struct tile Aij = tile_at(A, i, j);
        struct tile Yj = row_block(Y, j);
        add_product(CblasNoTrans, Aij.rows, Aij.cols, Aij.a, Aij.ld, Yj.a, Yj.ld, Yi);
    }
}

void multiply_unit_lower(const struct tile_matrix *A, struct tile_matrix *Y)
{
    for (size_t i = A->mt; i-- > 0;)
        multiply_lower_row(A, i, CblasUnit, Y);
}

void multiply_lower(const struct tile_matrix *A, struct tile_matrix *Y)
{
    for (size_t i = A->mt; i-- > 0;)
        multiply_lower_row(A, i, CblasNonUnit, Y);
}

void multiply_lower_transposed(const struct tile_matrix *A, struct tile_matrix *Y)
{
    for (size_t i = 0; i < A->mt; i++) {
        struct tile Yi = row_block(Y, i);
        struct tile Aii = tile_at(A, i, i);
        multiply_triangle(CblasLower, CblasTrans, CblasNonUnit, Aii.rows, Aii, Yi);
        for (size_t j = i + 1; j < A->mt; j++) {
            struct tile Aji = tile_at(A, j, i);
            struct tile Yj = row_block(Y, j);
            add_product(CblasTrans, Aji.cols, Aji.rows, Aji.a, Aji.ld, Yj.a, Yj.ld, Yi);
        }
    }
}
