/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of at most 24 × 8 elements that stay in 24 registers of AVX-512 while products are taken out
 * of them: for the solves and products of avx512_triangular.c. */
#ifndef POLLUX_KERNELS_AVX512_BLOCK_H
#define POLLUX_KERNELS_AVX512_BLOCK_H

#ifdef __x86_64__
#include "kernels/avx512_vectors.h"

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

/* A matrix in its storage: element (i, j) is a[i * row + j * column]. */
struct stored {
    const double *a;
    size_t row, column;
};

AVX512_INLINE __m512d load(const double *a, struct rows rows, size_t v)
{
    if (rows.whole || v + 1 < rows.vectors)
        return _mm512_loadu_pd(a + v * LANES);
    return _mm512_maskz_loadu_pd(rows.used, a + v * LANES);
}

/* Loads a block, and fetches what lies `next` doubles behind it into the first-level cache. */
AVX512_INLINE void load_block(struct rows rows, const double *a, size_t ld, size_t next, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++) {
            x[c][v] = load(a + c * ld, rows, v);
            _mm_prefetch(a + c * ld + v * LANES + next, _MM_HINT_T0);
        }
}

AVX512_INLINE void store_block(struct rows rows, double *a, size_t ld, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++) {
            if (rows.whole || v + 1 < rows.vectors)
                _mm512_storeu_pd(a + c * ld + v * LANES, x[c][v]);
            else
                _mm512_mask_storeu_pd(a + c * ld + v * LANES, rows.used, x[c][v]);
        }
}

/* Fetches the part of the next 8 columns of b that the row `i` here needs: a cache line of one column
 * where these are contiguous, a line of the row otherwise. */
AVX512_INLINE void fetch_next_columns(struct stored b, size_t i)
{
    _mm_prefetch(b.a + (b.row == 1 ? COLUMNS + i % LANES : COLUMNS) * b.column, _MM_HINT_T0);
}

/* x := x - a b, with k columns of a and k rows of b. Fetches the next 8 columns of b. */
AVX512_INLINE void update_block(struct rows rows, size_t k, const double *a, size_t lda,
                                struct stored b, block x)
{
    for (size_t i = 0; i < k; i++, a += lda, b.a += b.row) {
        fetch_next_columns(b, i);
        __m512d left[VECTORS];
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            left[v] = load(a, rows, v);
#pragma GCC unroll 8
        for (size_t c = 0; c < COLUMNS; c++) {
            __m512d right = _mm512_set1_pd(b.a[c * b.column]);
#pragma GCC unroll 3
            for (size_t v = 0; v < rows.vectors; v++)
                x[c][v] = _mm512_fnmadd_pd(left[v], right, x[c][v]);
        }
    }
}

/* The last rows of a matrix, where `count` are left for that number of vectors. */
AVX512_INLINE struct rows last_rows(size_t vectors, size_t count)
{
    return (struct rows){vectors, 0, lanes(count - (vectors - 1) * LANES)};
}

#endif
#endif
