/* SPDX-License-Identifier: BSD-3-Clause
 * Products of few columns, and of trapezoids, for processors with AVX-512. */
#include "kernels/avx512/product.h"

#ifdef __x86_64__
#include "kernels/avx512/vectors.h"

static inline size_t at_least(size_t value, size_t limit)
{
    return value > limit ? value : limit;
}

/* ---- Aᵀ B: dot products of columns ---- */

/* Columns that are worked on together: 8 of A, whose sums fill a vector, and 3 of B, so that 24 sums
 * and what is multiplied stay in 32 registers. */
enum { DOT_COLUMNS = 3 };

/* Rows between two visits of C: 8 columns of A stay in the first-level cache, and as many of B as a tile
 * has (256) in the second. */
enum { DOT_DEPTH = 256 };

/* 8 columns of A, and where their products go. */
struct dots {
    enum product mode;
    const double *a[LANES];
    bool triangle; /* the first 8 rows are a unit lower triangle */
    size_t k;
    __mmask8 used; /* columns that count */
};

/* Rows of column i; a triangle's diagonal and what is above it come from no memory. */
AVX512_INLINE __m512d column_rows(const double *a, size_t i, bool triangle, __mmask8 rows)
{
    if (!triangle)
        return _mm512_maskz_loadu_pd(rows, a);
    __m512d unit = _mm512_maskz_mov_pd((__mmask8)(1u << i), _mm512_set1_pd(1));
    return _mm512_mask_loadu_pd(unit, rows & (__mmask8)(0xfeu << i), a);
}

/* s[j][i] += a[i]ᵀ b[j] on the rows of one vector. The next columns of B are called for meanwhile. */
AVX512_INLINE void add_dots(const struct dots *d, size_t columns, bool triangle, size_t row,
                            __mmask8 rows, const double *B, size_t ldb,
                            __m512d s[DOT_COLUMNS][LANES])
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

AVX512_INLINE void store_dots(const struct dots *d, size_t columns, __m512d s[DOT_COLUMNS][LANES],
                              double *C, size_t ldc)
{
#pragma GCC unroll 3
    for (size_t j = 0; j < columns; j++) {
        double *c = C + j * ldc;
        __m512d sum = sums(s[j]);
        if (d->mode == PRODUCT_ADD)
            sum = _mm512_add_pd(sum, _mm512_maskz_loadu_pd(d->used, c));
        _mm512_mask_storeu_pd(c, d->used, sum);
    }
}

/* The products with a few columns of B. */
AVX512_INLINE void dot_columns(const struct dots *d, size_t columns, const double *B, size_t ldb,
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
        add_dots(d, columns, true, 0, lanes(at_most(d->k, LANES)), B, ldb, s);
        row = LANES;
    }
    for (; row + LANES <= d->k; row += LANES)
        add_dots(d, columns, false, row, 0xff, B, ldb, s);
    if (row < d->k)
        add_dots(d, columns, false, row, lanes(d->k - row), B, ldb, s);
    store_dots(d, columns, s, C, ldc);
}

AVX512 static void dot_all_columns(const struct dots *d, size_t n, const double *B, size_t ldb,
                                   double *C, size_t ldc)
{
    size_t j = 0;
    for (; j + DOT_COLUMNS <= n; j += DOT_COLUMNS)
        dot_columns(d, 3, B + j * ldb, ldb, C + j * ldc, ldc);
    if (n - j == 2)
        dot_columns(d, 2, B + j * ldb, ldb, C + j * ldc, ldc);
    else if (n - j == 1)
        dot_columns(d, 1, B + j * ldb, ldb, C + j * ldc, ldc);
}

AVX512 static void dot_products(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                                const double *A, size_t lda, const double *B, size_t ldb, double *C,
                                size_t ldc)
{
    size_t row = 0;
    do {
        size_t next = at_most(k, row + DOT_DEPTH);
        for (size_t i = 0; i < m; i += LANES) {
            size_t begin = shape == SHAPE_UNIT_LOWER ? i : 0, first = at_least(row, begin);
            size_t end = at_most(next, shape == SHAPE_UPPER ? i + LANES : k);
            if (first >= end && k > 0)
                continue;
            size_t used = at_most(m - i, LANES);
            struct dots d = {.mode = first == begin ? mode : PRODUCT_ADD,
                             .triangle = shape == SHAPE_UNIT_LOWER && first == begin,
                             .k = end - first,
                             .used = lanes(used)};
            for (size_t c = 0; c < LANES; c++)
                d.a[c] = A + first + (i + at_most(c, used - 1)) * lda;
            dot_all_columns(&d, n, B + first, ldb, C + i, ldc);
        }
        row = next;
    } while (row < k);
}

/* It pays to transpose A first where A has more columns than NARROW, and B at least WIDE
 * (docs/performance.md). */
enum { NARROW = 32, WIDE = 64 };

void avx512_product_transposed(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                               const double *A, size_t lda, const double *B, size_t ldb, double *C,
                               size_t ldc)
{
    if (m <= NARROW || n < WIDE)
        dot_products(mode, shape, m, n, k, A, lda, B, ldb, C, ldc);
    else
        avx512_wide_product_transposed(mode, shape, m, n, k, A, lda, B, ldb, C, ldc);
}

/* ---- A B: sums of outer products ---- */

/* A block of C in registers: 3 vectors of rows by 8 columns. */
enum { BLOCK_VECTORS = 3, BLOCK_ROWS = BLOCK_VECTORS * LANES, BLOCK_COLUMNS = 8 };

/* The part of A, of 10 blocks, that stays in the second-level cache while B passes by. */
enum { PANEL_ROWS = 240, PANEL_DEPTH = 256 };

/* A block of C, and its factors. */
struct outer {
    enum product mode;
    size_t k;    /* columns of A without zeros */
    size_t cut;  /* columns of A after them that begin in this block of rows */
    size_t skip; /* rows of the first of these above its one */
    const double *A;
    size_t lda;
    const double *B;
    size_t ldb;
    double *C;
    size_t ldc;
};

/* s += A(:, l) B(l, :) with the rows of A(:, l) that `stored` says, and ones where `ones` does. */
AVX512_INLINE void add_outer(const struct outer *o, size_t vectors, size_t columns, size_t l,
                             unsigned stored, unsigned ones,
                             __m512d s[BLOCK_VECTORS][BLOCK_COLUMNS])
{
    __m512d a[BLOCK_VECTORS];
#pragma GCC unroll 3
    for (size_t i = 0; i < vectors; i++) {
        __m512d unit = _mm512_maskz_mov_pd((__mmask8)(ones >> LANES * i), _mm512_set1_pd(1));
        a[i] = _mm512_mask_loadu_pd(unit, (__mmask8)(stored >> LANES * i),
                                    o->A + LANES * i + l * o->lda);
    }
#pragma GCC unroll 8
    for (size_t j = 0; j < columns; j++) {
        __m512d b = in_register(_mm512_set1_pd(o->B[l + j * o->ldb]));
#pragma GCC unroll 3
        for (size_t i = 0; i < vectors; i++)
            s[i][j] = _mm512_fmadd_pd(a[i], b, s[i][j]);
    }
}

AVX512_INLINE void store_outer(const struct outer *o, size_t vectors, size_t columns, unsigned rows,
                               __m512d s[BLOCK_VECTORS][BLOCK_COLUMNS])
{
#pragma GCC unroll 8
    for (size_t j = 0; j < columns; j++)
#pragma GCC unroll 3
        for (size_t i = 0; i < vectors; i++) {
            double *c = o->C + LANES * i + j * o->ldc;
            __mmask8 used = (__mmask8)(rows >> LANES * i);
            __m512d sum = s[i][j], before = _mm512_setzero_pd();
            if (o->mode != PRODUCT_ASSIGN)
                before = _mm512_maskz_loadu_pd(used, c);
            sum = o->mode == PRODUCT_SUBTRACT ? _mm512_sub_pd(before, sum)
                                              : _mm512_add_pd(before, sum);
            _mm512_mask_storeu_pd(c, used, sum);
        }
}

AVX512_INLINE void product_block(const struct outer *o, size_t vectors, size_t columns,
                                 unsigned rows)
{
    __m512d s[BLOCK_VECTORS][BLOCK_COLUMNS];
#pragma GCC unroll 3
    for (size_t i = 0; i < vectors; i++)
#pragma GCC unroll 8
        for (size_t j = 0; j < columns; j++) {
            s[i][j] = _mm512_setzero_pd();
            _mm_prefetch((const char *)(o->C + LANES * i + j * o->ldc), _MM_HINT_T0);
        }
    for (size_t l = 0; l < o->k; l++)
        add_outer(o, vectors, columns, l, rows, 0, s);
    for (size_t l = 0; l < o->cut; l++) {
        unsigned one = 1u << (o->skip + l);
        add_outer(o, vectors, columns, o->k + l, rows & ~(2 * one - 1), one, s);
    }
    store_outer(o, vectors, columns, rows, s);
}

/* A block of up to 24 rows: a constant number of vectors and columns gives each a register. */
AVX512_INLINE void product_rows(const struct outer *o, size_t rows, size_t columns)
{
    if (rows == BLOCK_ROWS)
        product_block(o, 3, columns, (1u << BLOCK_ROWS) - 1);
    else if (rows > (size_t)2 * LANES)
        product_block(o, 3, columns, (1u << rows) - 1);
    else if (rows > LANES)
        product_block(o, 2, columns, (1u << rows) - 1);
    else
        product_block(o, 1, columns, (1u << rows) - 1);
}

AVX512 static void product_eight(const struct outer *o, size_t rows)
{
    product_rows(o, rows, BLOCK_COLUMNS);
}

AVX512 static void product_one(const struct outer *o, size_t rows)
{
    product_rows(o, rows, 1);
}

/* Cuts the factor of a block of rows to the columns that are not all zeros, where row `row` of the
 * whole factor is the block's first, and column `column` the first of this part.
 * @return false if there are none */
static bool cut_triangle(size_t row, size_t column, size_t depth, struct outer *o)
{
    size_t behind = row + BLOCK_ROWS;
    if (behind <= column)
        return false;
    o->k = row > column ? at_most(row - column, depth) : 0;
    o->cut = at_most(behind - column, depth) - o->k;
    o->skip = column + o->k - row;
    return true;
}

/* The products of one part of A with all n columns of B. */
static void product_panel(size_t m, size_t n, enum shape shape, size_t row, size_t column,
                          struct outer o)
{
    const struct outer whole = o;
    size_t width;
    for (size_t j = 0; j < n; j += width) {
        width = n - j >= BLOCK_COLUMNS ? BLOCK_COLUMNS : 1;
        o.B = whole.B + j * o.ldb;
        for (size_t i = 0; i < m; i += BLOCK_ROWS) {
            if (shape == SHAPE_UNIT_LOWER && !cut_triangle(row + i, column, whole.k, &o))
                continue;
            o.A = whole.A + i;
            o.C = whole.C + i + j * o.ldc;
            (width == 1 ? product_one : product_eight)(&o, at_most(m - i, BLOCK_ROWS));
        }
    }
}

void avx512_product_plain(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                          const double *A, size_t lda, const double *B, size_t ldb, double *C,
                          size_t ldc)
{
    for (size_t i = 0; i < m; i += PANEL_ROWS) {
        size_t l = 0;
        do {
            size_t depth = at_most(k - l, PANEL_DEPTH);
            enum product then = l && mode == PRODUCT_ASSIGN ? PRODUCT_ADD : mode;
            struct outer o = {then, depth, 0, 0, A + i + l * lda, lda, B + l, ldb, C + i, ldc};
            product_panel(at_most(m - i, PANEL_ROWS), n, shape, i, l, o);
            l += depth;
        } while (l < k);
    }
}
#endif
