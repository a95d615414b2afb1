/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of at most 24 × 8 elements whose products stay in 24 registers of AVX-512: for
 * the products and the solves. */
#ifndef POLLUX_KERNELS_AVX512_BLOCK_H
#define POLLUX_KERNELS_AVX512_BLOCK_H

#ifdef __x86_64__
#include "kernels/avx512/vectors.h"
#include "kernels/dense/product.h"

/* Rows and columns of a block. */
enum { VECTORS = 3, ROWS = LANES * VECTORS, COLUMNS = 8 };

typedef __m512d block[COLUMNS][VECTORS];

/* The rows that a block has: a number of vectors, of which only `used` lanes of the last count,
 * unless it is whole. */
struct rows {
    size_t vectors;
    int whole;
    __mmask8 used;
};

/* Runs a statement for a block of `count` rows, at most 24 of them: `rows` is a constant number of
 * vectors in it, so that each of them gets a register. */
#define WITH_ROWS(count, statement) \
    do { \
        size_t count_ = (count); \
        if (count_ >= ROWS) { \
            const struct rows rows = {VECTORS, 1, 0xff}; \
            statement; \
        } else if (count_ > (size_t)2 * LANES) { \
            const struct rows rows = {3, 0, lanes(count_ - (size_t)2 * LANES)}; \
            statement; \
        } else if (count_ > LANES) { \
            const struct rows rows = {2, 0, lanes(count_ - LANES)}; \
            statement; \
        } else { \
            const struct rows rows = {1, 0, lanes(count_)}; \
            statement; \
        } \
    } while (0)

/* A matrix in its storage: element (i, j) is a[i * row + j * column]. */
struct stored {
    const double *a;
    size_t row, column;
};

/* The rows of a left factor: column l is a + l * column, and is copied to copy + 24 l, unless that is
 * NULL. */
struct left {
    const double *a;
    size_t column;
    double *copy;
};

/* What is fetched into the second-level cache while a block is computed: columns as long as its own. */
struct fetched {
    const double *a;
    size_t column, count;
};

/* The second-level cache holds that many columns of the blocks of rows that are copied beside what
 * passes by (docs/performance.md). */
enum { DEPTH = 384, BLOCK_COPY = ROWS * DEPTH, COPIED_BLOCKS = 3 };

/* The calling thread's copies, of a left factor's rows, or of rows that are solved. */
extern _Thread_local double avx512_copied[COPIED_BLOCKS * BLOCK_COPY];

/* The depth of each part of an inner dimension k: as even as whole vectors allow, at most DEPTH. */
static inline size_t even_depth(size_t k)
{
    size_t parts = (k + DEPTH - 1) / DEPTH;
    size_t depth = parts ? (k + parts - 1) / parts : LANES;
    return (depth + LANES - 1) / LANES * LANES;
}

/* The rows of the next block where that many are left: 25 to 32 make two of 16, since one of 8 waits for
 * its 8 factors. */
static inline size_t block_rows(size_t left)
{
    size_t most = left <= (size_t)4 * LANES ? 2 * LANES : ROWS;
    return left <= ROWS ? left : most;
}

/* Columns of a left factor whose reads are announced to the first-level cache. */
enum { AHEAD = 8 };

AVX512_INLINE struct stored part_of(struct stored b, size_t i, size_t j)
{
    return (struct stored){b.a + i * b.row + j * b.column, b.row, b.column};
}

AVX512_INLINE __m512d load(const double *a, struct rows rows, size_t v)
{
    if (rows.whole || v + 1 < rows.vectors)
        return _mm512_loadu_pd(a + v * LANES);
    return _mm512_maskz_loadu_pd(rows.used, a + v * LANES);
}

AVX512_INLINE void store(double *a, struct rows rows, size_t v, __m512d x)
{
    if (rows.whole || v + 1 < rows.vectors)
        _mm512_storeu_pd(a + v * LANES, x);
    else
        _mm512_mask_storeu_pd(a + v * LANES, rows.used, x);
}

AVX512_INLINE void store_block(struct rows rows, size_t columns, double *a, size_t ld, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            store(a + c * ld, rows, v, x[c][v]);
}

/* Fetches the part of the next 8 columns of b that the row `i` here needs: a cache line of one column
 * where these are contiguous, a line of the row otherwise. */
AVX512_INLINE void fetch_next_columns(struct stored b, size_t i)
{
    _mm_prefetch(b.a + (b.row == 1 ? COLUMNS + i % LANES : COLUMNS) * b.column, _MM_HINT_T1);
}

/* x := x + a b, with k columns of a and k rows of b. */
AVX512_INLINE void add_products(struct rows rows, size_t columns, size_t k, struct left left,
                                struct stored b, block x)
{
#pragma GCC unroll 2
    for (size_t l = 0; l < k; l++, left.a += left.column, b.a += b.row) {
        fetch_next_columns(b, l);
        __m512d a[VECTORS];
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++) {
            a[v] = load(left.a, rows, v);
            if (left.copy)
                _mm512_storeu_pd(left.copy + l * ROWS + v * LANES, a[v]);
            _mm_prefetch(left.a + AHEAD * left.column + v * LANES, _MM_HINT_T0);
        }
#pragma GCC unroll 8
        for (size_t c = 0; c < columns; c++) {
            __m512d right = _mm512_set1_pd(b.a[c * b.column]);
#pragma GCC unroll 3
            for (size_t v = 0; v < rows.vectors; v++)
                x[c][v] = _mm512_fmadd_pd(a[v], right, x[c][v]);
        }
    }
}

/* Fetches an eighth of what is to be fetched. */
AVX512_INLINE void fetch_share(struct rows rows, size_t share, struct fetched next)
{
    size_t end = (share + 1) * next.count / COLUMNS;
    for (size_t l = share * next.count / COLUMNS; l < end; l++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            _mm_prefetch(next.a + l * next.column + v * LANES, _MM_HINT_T1);
}

AVX512_INLINE void fetch_column(struct rows rows, const double *c)
{
#pragma GCC unroll 3
    for (size_t v = 0; v < rows.vectors; v++)
        _mm_prefetch(c + v * LANES, _MM_HINT_T0);
}

/* What C becomes by a product. */
AVX512_INLINE __m512d combined(enum product mode, struct rows rows, const double *c, size_t v,
                               __m512d product)
{
    if (mode == PRODUCT_ASSIGN)
        return product;
    __m512d before = load(c, rows, v);
    return mode == PRODUCT_ADD ? _mm512_add_pd(before, product) : _mm512_sub_pd(before, product);
}

/* x := a b, C + a b or C - a b, `columns` of them, at most 8. C is only read at the end: it comes from
 * memory, a column at a time, meanwhile. */
AVX512_INLINE void block_product(enum product mode, struct rows rows, size_t columns, size_t k,
                                 struct left left, struct stored b, struct fetched next,
                                 const double *C, size_t ldc, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            x[c][v] = _mm512_setzero_pd();
    for (size_t share = 0; share < COLUMNS; share++) {
        size_t first = share * k / COLUMNS, count = (share + 1) * k / COLUMNS - first;
        struct left part = {left.a + first * left.column, left.column,
                            left.copy ? left.copy + first * ROWS : NULL};
        if (share < columns)
            fetch_column(rows, C + share * ldc);
        fetch_share(rows, share, next);
        add_products(rows, columns, count, part, part_of(b, first, 0), x);
    }
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            x[c][v] = combined(mode, rows, C + c * ldc, v, x[c][v]);
}

#endif
#endif
