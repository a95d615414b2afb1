/* SPDX-License-Identifier: BSD-3-Clause
 * Each product walks the columns of tiles in the order in which it can overwrite its operand. */
#include "common/matrix/factor_product.h"

#include <cblas.h>

#include "common/base/sizes.h"

/* The part of rows [first, end) of column j that is in tile (i, j), and the row of A at which it begins. */
static struct tile rows_between(const struct tile_matrix *A, size_t i, size_t j, size_t first,
                                size_t end, size_t *row)
{
    struct tile t = tile_at(A, i, j);
    size_t start = i * A->mb, stop = start + t.rows;
    *row = start > first ? start : first;
    size_t last = stop < end ? stop : end;
    return tile_part(t, *row - start, last > *row ? last - *row : 0);
}

/* Y(row …) := Y(row …) + A X(column …) for one part of a tile. */
static void add_product(struct tile A, struct tile X, size_t column, struct tile Y, size_t row)
{
    if (A.rows > 0 && A.cols > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)A.rows, (int)Y.cols,
                    (int)A.cols, 1.0, A.a, (int)A.ld, X.a + column, (int)X.ld, 1.0, Y.a + row,
                    (int)Y.ld);
}

/* Y(row …) := Y(row …) + the rows [first, end) of column j times X(j*nb …). */
static void add_column(const struct tile_matrix *A, size_t j, size_t first, size_t end,
                       struct tile X, struct tile Y)
{
    for (size_t i = first / A->mb; i < A->mt && i * A->mb < end; i++) {
        size_t row;
        struct tile part = rows_between(A, i, j, first, end, &row);
        add_product(part, X, j * A->nb, Y, row);
    }
}

static void multiply_triangle(CBLAS_UPLO uplo, CBLAS_TRANSPOSE op, CBLAS_DIAG diag, struct tile A,
                              struct tile Y, size_t row)
{
    size_t order = smaller(A.rows, A.cols);
    cblas_dtrmm(CblasColMajor, CblasLeft, uplo, op, diag, (int)order, (int)Y.cols, 1.0, A.a,
                (int)A.ld, Y.a + row, (int)Y.ld);
}

static void clear_rows_from(struct tile Y, size_t first)
{
    tile_clear(tile_part(Y, first, Y.rows - first));
}

/* The block of U on the diagonal: a triangle, and in the last step of a wide matrix what is right of
 * it. Its rows of Y are not set yet. */
static void multiply_upper_block(const struct tile_matrix *A, size_t k, struct tile X,
                                 struct tile Y)
{
    struct tile block = tile_block(A, k, k);
    size_t order = smaller(block.rows, block.cols), row = k * A->nb;
    tile_copy(tile_part(X, row, order), tile_part(Y, row, order));
    multiply_triangle(CblasUpper, CblasNoTrans, CblasNonUnit, block, Y, row);
    struct tile right = tile_submatrix(block, 0, order, order, block.cols - order);
    add_product(right, X, row + order, Y, row);
}

void multiply_upper(const struct tile_matrix *A, struct tile X, struct tile Y)
{
    size_t steps = tile_steps(A);
    clear_rows_from(Y, smaller(A->m, A->n));
    for (size_t j = 0; j < A->nt; j++) {
        add_column(A, j, 0, smaller(j * A->nb, A->m), X, Y);
        if (j < steps)
            multiply_upper_block(A, j, X, Y);
    }
}

/* Y := L Y. Columns go backwards, so that each column multiplies elements not yet overwritten. */
static void multiply_lower_trapezoid(const struct tile_matrix *A, CBLAS_DIAG diag, struct tile Y)
{
    clear_rows_from(Y, smaller(A->m, A->n));
    for (size_t k = tile_steps(A); k-- > 0;) {
        struct tile block = tile_block(A, k, k);
        size_t order = smaller(block.rows, block.cols);
        if (k * A->nb + order < A->m)
            add_column(A, k, k * A->nb + order, A->m, Y, Y);
        multiply_triangle(CblasLower, CblasNoTrans, diag, block, Y, k * A->nb);
    }
}

void multiply_unit_lower(const struct tile_matrix *A, struct tile Y)
{
    multiply_lower_trapezoid(A, CblasUnit, Y);
}

void multiply_lower(const struct tile_matrix *A, struct tile Y)
{
    multiply_lower_trapezoid(A, CblasNonUnit, Y);
}

void multiply_lower_transposed(const struct tile_matrix *A, struct tile Y)
{
    for (size_t k = 0; k < A->nt; k++) {
        struct tile block = tile_block(A, k, k);
        size_t row = k * A->nb, below = row + block.rows;
        multiply_triangle(CblasLower, CblasTrans, CblasNonUnit, block, Y, row);
        for (size_t i = tile_top(A, k); i < A->mt; i++) {
            size_t first;
            struct tile part = rows_between(A, i, k, below, A->m, &first);
            if (part.rows > 0)
                cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)part.cols, (int)Y.cols,
                            (int)part.rows, 1.0, part.a, (int)part.ld, Y.a + first, (int)Y.ld, 1.0,
                            Y.a + row, (int)Y.ld);
        }
    }
}
