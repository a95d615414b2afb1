/* SPDX-License-Identifier: BSD-3-Clause
 * C := Aᵀ B, or added to C, by dot products of columns. */
#include <stdbool.h>

#include "kernels/vectors/product.h"
#include "kernels/vectors/vectors.h"

/* Columns that are worked on together: a vector's lanes of A, whose sums fill it, and 3 of B, so
 * that the sums and their factors stay in registers. */
enum { DOT_COLUMNS = 3 };

/* Rows between two accesses to C: these columns of A stay in the first-level cache, and as many of B as a tile
 * has (256) in the second. */
enum { DOT_DEPTH = 256 };

/* Columns of A, as many as a vector has lanes, and where their products go. */
struct dots {
    enum update update;
    const double *a[LANES];
    bool triangle; /* the first rows, as many, are a unit lower triangle */
    size_t k;
    lane_mask used; /* columns that count */
};

/* Rows of column i; a triangle's diagonal and the part above it are not read from memory. */
INLINE vector column_rows(const double *a, size_t i, bool triangle, lane_mask rows)
{
    if (!triangle)
        return v_load_lanes(rows, a);
    vector unit = v_ones(lanes_of(1u << i));
    return v_load_over(unit, rows & lanes_of(0xfeu << i), a);
}

/* s[j][i] += a[i]ᵀ b[j] on the rows of one vector. The next columns of B are prefetched meanwhile. */
INLINE void add_dots(const struct dots *d, size_t columns, bool triangle, size_t row,
                     lane_mask rows, const double *B, size_t ldb, vector s[DOT_COLUMNS][LANES])
{
    vector b[DOT_COLUMNS];
#pragma GCC unroll 3
    for (size_t j = 0; j < columns; j++) {
        const double *column = B + row + j * ldb;
        b[j] = v_load_lanes(rows, column);
        to_first_level(column + columns * ldb);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < LANES; i++) {
        vector v = in_register(column_rows(d->a[i] + row, i, triangle, rows));
#pragma GCC unroll 3
        for (size_t j = 0; j < columns; j++)
            s[j][i] = v_add_product(v, b[j], s[j][i]);
    }
}

INLINE void store_dots(const struct dots *d, size_t columns, vector s[DOT_COLUMNS][LANES],
                       double *C, size_t ldc)
{
#pragma GCC unroll 3
    for (size_t j = 0; j < columns; j++) {
        double *c = C + j * ldc;
        vector sum = v_sums(s[j]);
        if (d->update == UPDATE_ADD)
            sum = v_add(sum, v_load_lanes(d->used, c));
        v_store_lanes(c, d->used, sum);
    }
}

/* The products with a few columns of B. */
INLINE void dot_columns(const struct dots *d, size_t columns, const double *B, size_t ldb,
                        double *C, size_t ldc)
{
    vector s[DOT_COLUMNS][LANES];
#pragma GCC unroll 3
    for (size_t j = 0; j < columns; j++)
#pragma GCC unroll 8
        for (size_t i = 0; i < LANES; i++)
            s[j][i] = v_zero();
    size_t row = 0;
    if (d->triangle) {
        add_dots(d, columns, true, 0, lanes(smaller(d->k, LANES)), B, ldb, s);
        row = LANES;
    }
    for (; row + LANES <= d->k; row += LANES)
        add_dots(d, columns, false, row, ALL_LANES, B, ldb, s);
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

void ISA(dot_products)(enum update update, enum shape shape, const struct tile *A,
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
