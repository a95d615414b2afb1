/* SPDX-License-Identifier: BSD-3-Clause
 * For small products OpenBLAS has kernels for AVX-512 that read the operands where they are; others it packs
 * into buffers, which at the sizes of tiles costs up to a third of the time. */
#include "kernels/dense/dgemm.h"

#include <cblas.h>
#include <stdbool.h>

#include "common/base/sizes.h"
#include "kernels/dense/choice.h"

void dgemm(double alpha, enum transpose opA, struct tile A, enum transpose opB, struct tile B,
           double beta, struct tile C)
{
    size_t k = opA == TRANSPOSE ? A.rows : A.cols;
    cblas_dgemm(CblasColMajor, opA == TRANSPOSE ? CblasTrans : CblasNoTrans,
                opB == TRANSPOSE ? CblasTrans : CblasNoTrans, (int)C.rows, (int)C.cols, (int)k,
                alpha, A.a, (int)A.ld, B.a, (int)B.ld, beta, C.a, (int)C.ld);
}

/* Rows and inner dimension of a piece at most: the fastest of 96, 128 and 192 (docs/evaluation/performance.md). Its
 * columns then are as many as OpenBLAS' limit permits. */
enum { PIECE = 128 };

/* Doubles in a vector and in a cache line. */
enum { VECTOR = 8 };

/* Multiplications up to which the operands are expected in the second-level cache, and up to which pieces are
 * faster: of larger products, dgemm's buffers are worth their copies. */
enum { NEAR = 8000000, LARGEST = 17000000 };

/* The equal parts of n, each at most `most`, rounded up to whole vectors. */
static size_t equal_part(size_t n, size_t most)
{
    return ceiling(ceiling(n, ceiling(n, most)), VECTOR) * VECTOR;
}

void read_ahead(struct tile t)
{
    for (size_t j = 0; j < t.cols; j++)
        for (size_t i = 0; i < t.rows; i += VECTOR)
            (void)*(volatile double *)(t.a + i + j * t.ld);
}

/* The rows [first, first + count) of op(B), and its columns. */
static struct tile rows_of(enum transpose op, struct tile B, size_t first, size_t count)
{
    return op == TRANSPOSE ? tile_submatrix(B, 0, first, B.rows, count)
                           : tile_submatrix(B, first, 0, count, B.cols);
}

static struct tile columns_of(enum transpose op, struct tile B, size_t first, size_t count)
{
    return op == TRANSPOSE ? tile_submatrix(B, first, 0, count, B.cols)
                           : tile_submatrix(B, 0, first, B.rows, count);
}

/* One piece's rows and inner dimension, the columns of B and C in pieces. */
static void row_of_pieces(double alpha, struct tile A, enum transpose op, struct tile B,
                          double beta, struct tile C, size_t cols)
{
    for (size_t j = 0; j < C.cols; j += cols) {
        size_t count = smaller(cols, C.cols - j);
        dgemm(alpha, NO_TRANSPOSE, A, op, columns_of(op, B, j, count), beta,
              tile_submatrix(C, 0, j, C.rows, count));
    }
}

void dgemm_in_pieces(double alpha, struct tile A, enum transpose op, struct tile B, double beta,
                     struct tile C)
{
    size_t m = C.rows, n = C.cols, k = A.cols, limit = openblas_unpacked_product();
    if (m * n * k <= limit || m * n * k > LARGEST) {
        dgemm(alpha, NO_TRANSPOSE, A, op, B, beta, C);
        return;
    }
    bool far = m * n * k > NEAR;
    size_t rows = equal_part(m, PIECE), inner = equal_part(k, PIECE);
    size_t cols = equal_part(n, limit / (rows * inner) / VECTOR * VECTOR);
    for (size_t l = 0; l < k; l += inner) {
        size_t depth = smaller(inner, k - l);
        struct tile right = rows_of(op, B, l, depth);
        if (far)
            read_ahead(right);
        for (size_t i = 0; i < m; i += rows) {
            size_t count = smaller(rows, m - i);
            struct tile left = tile_submatrix(A, i, l, count, depth);
            struct tile result = tile_submatrix(C, i, 0, count, n);
            if (far) {
                read_ahead(left);
                read_ahead(result);
            }
            row_of_pieces(alpha, left, op, right, l == 0 ? beta : 1.0, result, cols);
        }
    }
}
