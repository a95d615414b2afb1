/* SPDX-License-Identifier: BSD-3-Clause
 * C := Aᵀ B, or added to C, by dot products of columns. */
#include <stdbool.h>

#include "kernels/avx512/product.h"
#include "kernels/avx512/vectors.h"

/* Columns that are worked on together: 8 of A, whose sums fill a vector, and 3 of B, so that 24 sums
 * and their factors stay in 32 registers. */
enum { DOT_COLUMNS = 3 };

/* Rows between two accesses to C: 8 columns of A stay in the first-level cache, and as many of B as a tile
 * has (256) in the second. */
enum { DOT_DEPTH = 256 };

/* 8 columns of A, and where their products go. */
struct dots {
    enum update update;
    const double *a[LANES];
    bool triangle; /* the first 8 rows are a unit lower triangle */
    size_t k;
    __mmask8 used; /* columns that count */
};

/* Rows of column i; a triangle's diagonal and the part above it are not read from memory. */
INLINE __m512d column_rows(const double *a, size_t i, bool triangle, __mmask8 rows)
{
    if (!triangle)
        return _mm512_maskz_loadu_pd(rows, a);
    __m512d unit = _mm512_maskz_mov_pd((__mmask8)(1u << i), _mm512_set1_pd(1));
    return _mm512_mask_loadu_pd(unit, rows & (__mmask8)(0xfeu << i), a);
}

/* s[j][i] += a[i]ᵀ b[j] on the rows of one vector. The next columns of B are prefetched meanwhile. */
INLINE void add_dots(const struct dots *d, size_t columns, bool triangle, size_t row, __mmask8 rows,
                     const double *B, size_t ldb, __m512d s[DOT_COLUMNS][LANES])
{
    __m512d b[DOT_COLUMNS];
#pragma GCC unroll 3
    for (size_t j = 0; j < columns; j++) {
        const double *column = B + row + j * ldb;
        b[j] = _mm512_maskz_loadu_pd(rows, column);
        _mm_prefetch((const char *)(column + columns * ldb), _MM_HINT_T0);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < LANES; i++) {
        __m512d v = in_register(column_rows(d->a[i] + row, i, triangle, rows));
#pragma GCC unroll 3
        for (size_t j = 0; j < columns; j++)
            s[j][i] = _mm512_fmadd_pd(v, b[j], s[j][i]);
    }
}

INLINE void store_dots(const struct dots *d, size_t columns, __m512d s[DOT_COLUMNS][LANES],
                       double *C, size_t ldc)
{
#pragma GCC unroll 3
    for (size_t j = 0; j < columns; j++) {
        double *c = C + j * ldc;
        __m512d sum = sums(s[j]);
        if (d->update == UPDATE_ADD)
            sum = _mm512_add_pd(sum, _mm512_maskz_loadu_pd(d->used, c));
        _mm512_mask_storeu_pd(c, d->used, sum);
    }
}

/* The products with a few columns of B. */
INLINE void dot_columns(const struct dots *d, size_t columns, const double *B, size_t ldb,
                        double *C, size_t ldc)
{
    __m512d s[DOT_COLUMNS][LANES];
#pragma GCC unroll 3
    for (size_t j = 0; j < columns; j++)
#pragma GCC unroll 8
        for (size_t i = 0; i < LANES; i++)
            s[j][i] = _mm512_setzero_pd();
    size_t row = 0;
    if (d->triangle) {
        add_dots(d, columns, true, 0, lanes(smaller(d->k, LANES)), B, ldb, s);
        row = LANES;
    }
    for (; row + LANES <= d->k; row += LANES)
        add_dots(d, columns, false, row, 0xff, B, ldb, s);
    if (row < d->k)
        add_dots(d, columns, false, row, lanes(d->k - row), B, ldb, s);
    store_dots(d, columns, s, C, ldc);
}

/* The products with all columns of B, from row `row` of B on; they are rows i … of C. */
static void dot_all_columns(const struct dots *d, size_t row, const struct tile *B, size_t i,
                            const struct tile *C)
{
    const double *b = B->a + row;
    double *c = C->a + i;
    size_t j = 0;
    for (; j + DOT_COLUMNS <= C->cols; j += DOT_COLUMNS)
        dot_columns(d, 3, b + j * B->ld, B->ld, c + j * C->ld, C->ld);
    if (C->cols - j == 2)
        dot_columns(d, 2, b + j * B->ld, B->ld, c + j * C->ld, C->ld);
    else if (C->cols - j == 1)
        dot_columns(d, 1, b + j * B->ld, B->ld, c + j * C->ld, C->ld);
}

void avx512_dot_products(enum update update, enum shape shape, const struct tile *A,
                         const struct tile *B, const struct tile *C)
{
    size_t row = 0, k = A->rows;
    do {
        size_t next = smaller(k, row + DOT_DEPTH);
        for (size_t i = 0; i < C->rows; i += LANES) {
            size_t begin = shape == SHAPE_UNIT_LOWER ? i : 0, first = larger(row, begin);
            size_t end = smaller(next, shape == SHAPE_UPPER ? i + LANES : k);
            if (first >= end && k > 0)
                continue;
            size_t used = smaller(C->rows - i, LANES);
            struct dots d = {.update = first == begin ? update : UPDATE_ADD,
                             .triangle = shape == SHAPE_UNIT_LOWER && first == begin,
                             .k = end - first,
                             .used = lanes(used)};
            for (size_t c = 0; c < LANES; c++)
                d.a[c] = A->a + first + (i + smaller(c, used - 1)) * A->ld;
            dot_all_columns(&d, first, B, i, C);
        }
        row = next;
    } while (row < k);
}
