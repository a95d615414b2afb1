/* SPDX-License-Identifier: BSD-3-Clause
 * C := C - A op(B), whole or its lower trapezoid, for processors with AVX-512. Of A, 48 rows at a time,
 * the fastest of 24 to 240, are copied into the second-level cache, while they meet the first 8 columns
 * of op(B); B is read where it lies. What comes from memory is called for while the block before is
 * computed. */
#include "kernels/avx512/triangular_solve.h"

#ifdef __x86_64__
#include "kernels/avx512/block.h"

_Thread_local double avx512_copied[COPIED_BLOCKS * BLOCK_COPY] __attribute__((aligned(64)));

/* A block of C; its rows of A lie at `a`, or, behind the first columns, in `copy`. */
AVX512_INLINE void subtract_block(struct rows rows, int first, size_t k, struct left a,
                                  struct stored b, struct fetched next, double *C, size_t ldc)
{
    block x;
    if (first)
        block_product(PRODUCT_SUBTRACT, rows, COLUMNS, k, a, b, next, C, ldc, x);
    else
        block_product(PRODUCT_SUBTRACT, rows, COLUMNS, k, (struct left){a.copy, ROWS, NULL}, b,
                      next, C, ldc, x);
    store_block(rows, COLUMNS, C, ldc, x);
}

/* At most two blocks of rows of C; `below` are the rows of A after them, which are fetched. */
AVX512_INLINE void subtract_rows(size_t m, size_t n, size_t k, const double *A, size_t lda,
                                 size_t below, struct stored B, double *C, size_t ldc)
{
    for (size_t j = 0; j < n; j += COLUMNS) {
        size_t fetched = j * k / n, count = (j + COLUMNS) * k / n - fetched;
        double *copy = avx512_copied;
        for (size_t i = 0; i < m; i += block_rows(m - i), copy += BLOCK_COPY) {
            struct fetched next = {A + m + i + fetched * lda, lda, i < below ? count : 0};
            WITH_ROWS(block_rows(m - i),
                      subtract_block(rows, j == 0, k, (struct left){A + i, lda, copy},
                                     part_of(B, 0, j), next, C + i + j * ldc, ldc));
        }
    }
}

AVX512_INLINE void subtract(size_t m, size_t n, size_t k, const double *A, size_t lda,
                            struct stored B, double *C, size_t ldc)
{
    size_t depth = even_depth(k), rows;
    for (size_t l = 0; l < k; l += depth)
        for (size_t i = 0; i < m; i += rows) {
            rows = block_rows(m - i);
            rows += block_rows(m - i - rows);
            subtract_rows(rows, n, at_most(k - l, depth), A + i + l * lda, lda, m - i - rows,
                          part_of(B, l, 0), C + i, ldc);
        }
}

AVX512 void avx512_subtract_product(size_t m, size_t n, size_t k, const double *A, size_t lda,
                                    const double *B, size_t ldb, int transposed, double *C,
                                    size_t ldc)
{
    if (transposed)
        subtract(m, n, k, A, lda, (struct stored){B, ldb, 1}, C, ldc);
    else
        subtract(m, n, k, A, lda, (struct stored){B, 1, ldb}, C, ldc);
}

/* ---- C := C - A A₁ᵀ in the lower trapezoid ---- */

/* Of column c of a block on the diagonal, whose first row is that of vector `first`: the lanes of
 * vector v on and below the diagonal. */
AVX512_INLINE __mmask8 lower_lanes(struct rows rows, size_t first, size_t v, size_t c)
{
    unsigned below = v > first ? 0xffu : v == first ? 0xffu << c : 0;
    return (__mmask8)(v + 1 < rows.vectors ? below : below & rows.used);
}

/* At most 8 columns, on the diagonal of 24 rows of C, whose first row is that of vector `first`. */
AVX512_INLINE void subtract_diagonal(struct rows rows, size_t first, size_t k, struct left a,
                                     struct stored b, double *C, size_t ldc)
{
    block x;
    block_product(PRODUCT_SUBTRACT, rows, COLUMNS, k, a, b, (struct fetched){a.a, a.column, 0}, C,
                  ldc, x);
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++)
#pragma GCC unroll 3
        for (size_t v = first; v < rows.vectors; v++)
            _mm512_mask_storeu_pd(C + c * ldc + v * LANES, lower_lanes(rows, first, v, c), x[c][v]);
}

/* The blocks on the diagonal in rows i … of C. */
AVX512_INLINE void subtract_diagonals(struct rows rows, size_t i, size_t n, size_t k, struct left a,
                                      struct stored B, double *C, size_t ldc)
{
#pragma GCC unroll 3
    for (size_t v = 0; v < rows.vectors; v++) {
        size_t j = i + v * LANES;
        if (j < n)
            subtract_diagonal(rows, v, k, a, part_of(B, 0, j), C + i + j * ldc, ldc);
    }
}

AVX512 void avx512_subtract_square(size_t m, size_t n, size_t k, const double *A, size_t lda,
                                   double *C, size_t ldc)
{
    size_t depth = even_depth(k);
    for (size_t l = 0; l < k; l += depth)
        for (size_t i = 0; i < m; i += ROWS) {
            size_t rows_left = at_most(m - i, ROWS), columns = at_most(k - l, depth);
            struct left a = {A + i + l * lda, lda, NULL};
            struct stored B = {A + l * lda, lda, 1};
            subtract_rows(rows_left, at_most(i, n), columns, a.a, lda, m - i - rows_left, B, C + i,
                          ldc);
            WITH_ROWS(rows_left, subtract_diagonals(rows, i, n, columns, a, B, C, ldc));
        }
}
#endif
