/* SPDX-License-Identifier: BSD-3-Clause
 * C := Aᵀ B, or added to C, for processors with AVX-512 and many columns of B: the columns of A are
 * transposed into the second-level cache, a part of their rows at a time; B is read where it lies. */
#include "kernels/avx512/product.h"

#ifdef __x86_64__
#include "kernels/avx512/block.h"

/* Columns of A that are copied at once. */
enum { COPIED_COLUMNS = COPIED_BLOCKS * ROWS };

/* ---- the transposed copy ---- */

/* Rows of column c that are stored, and the one that is 1, where row `row` of A is the first of 8, and
 * c = `column` the first of 8. */
AVX512_INLINE __m512d column_part(enum shape shape, const double *a, size_t row, size_t column,
                                  size_t c, __mmask8 used)
{
    if (shape != SHAPE_UNIT_LOWER || row > column)
        return _mm512_maskz_loadu_pd(used, a);
    if (row < column)
        return _mm512_setzero_pd();
    __m512d unit = _mm512_maskz_mov_pd((__mmask8)(1u << c), _mm512_set1_pd(1));
    return _mm512_mask_loadu_pd(unit, used & (__mmask8)(0xfeu << c), a);
}

/* Lane i of transposed[j] is lane j of t[i]. */
AVX512_INLINE void transpose(const __m512d t[LANES], __m512d transposed[LANES])
{
    __m512d pairs[LANES], quads[LANES];
#pragma GCC unroll 4
    for (size_t i = 0; i < LANES; i += 2) {
        pairs[i] = _mm512_unpacklo_pd(t[i], t[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_pd(t[i], t[i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < LANES; i += 4)
#pragma GCC unroll 2
        for (size_t odd = 0; odd < 2; odd++) {
            quads[i + odd] = _mm512_shuffle_f64x2(pairs[i + odd], pairs[i + 2 + odd], 0x88);
            quads[i + 2 + odd] = _mm512_shuffle_f64x2(pairs[i + odd], pairs[i + 2 + odd], 0xdd);
        }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        transposed[i] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0x88);
        transposed[i + 4] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0xdd);
    }
}

/* Rows row … row + count - 1 and columns column … column + 7, of which `columns` are there. */
AVX512_INLINE void copy_square(enum shape shape, const double *A, size_t lda, size_t row,
                               size_t count, size_t column, size_t columns, double *copy)
{
    __m512d a[LANES], rows[LANES];
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++)
        a[c] = column_part(shape, A + row + (column + at_most(c, columns - 1)) * lda, row, column,
                           c, lanes(count));
    transpose(a, rows);
    for (size_t i = 0; i < count; i++)
        _mm512_storeu_pd(copy + i * ROWS, rows[i]);
}

/* Rows first … first + k - 1 of at most 24 columns. */
AVX512_INLINE void copy_columns(enum shape shape, const double *A, size_t lda, size_t first,
                                size_t k, size_t column, size_t columns, double *copy)
{
    for (size_t l = 0; l < k; l += LANES)
        for (size_t c = 0; c < columns; c += LANES)
            copy_square(shape, A, lda, first + l, at_most(k - l, LANES), column + c,
                        at_most(columns - c, LANES), copy + l * ROWS + c);
}
/* ---- products of the copy ---- */

/* A part of the product: rows row … row + k - 1 of A and of B. */
struct part {
    enum product mode;
    enum shape shape;
    size_t row, k;
    size_t column; /* first of at most COPIED_COLUMNS of A, which are rows of C */
    size_t columns;
    const double *next; /* the part of A after it, or NULL */
    size_t lda;
};

/* Cuts a part to the rows in which the 24 columns from `column` on are not all zeros. The first row is
 * returned, counted from the part's. */
static inline size_t skip_zeros(const struct part *p, size_t column, size_t *k)
{
    size_t first = p->shape == SHAPE_UNIT_LOWER && column > p->row ? column - p->row : 0;
    size_t end = p->k;
    if (p->shape == SHAPE_UPPER)
        end = column + ROWS > p->row ? at_most(end, column + ROWS - p->row) : 0;
    *k = end > first ? end - first : 0;
    return first;
}

/* What of the next part is fetched while column j of B is used: 24 rows of the columns from i on. */
static inline struct fetched next_part(const struct part *p, size_t i, size_t j)
{
    size_t row = j / COLUMNS * ROWS, count = at_most(p->columns - i, ROWS);
    int any = p->next && row < p->k;
    return (struct fetched){any ? p->next + row + i * p->lda : NULL, p->lda, any ? count : 0};
}

AVX512_INLINE void one_block(const struct part *p, struct rows rows, const double *copied, size_t i,
                             size_t width, size_t j, const double *B, size_t ldb, double *C,
                             size_t ldc)
{
    size_t k, first = skip_zeros(p, p->column + i, &k);
    if (k == 0 && p->mode == PRODUCT_ADD)
        return;
    struct left copy = {copied + first * ROWS, ROWS, NULL};
    block x;
    block_product(p->mode, rows, width, k, copy, (struct stored){B + first, 1, ldb},
                  next_part(p, i, j), C, ldc, x);
    store_block(rows, width, C, ldc, x);
}

/* `width` columns of C from j on. */
AVX512_INLINE void multiply_columns(const struct part *p, size_t width, size_t j, const double *B,
                                    size_t ldb, double *C, size_t ldc)
{
    const double *copied = avx512_copied;
    for (size_t i = 0; i < p->columns; i += block_rows(p->columns - i), copied += BLOCK_COPY)
        WITH_ROWS(block_rows(p->columns - i),
                  one_block(p, rows, copied, i, width, j, B + j * ldb, ldb, C + i + j * ldc, ldc));
}

/* B and C from the part's first row on. */
AVX512 static void multiply(const struct part *p, size_t n, const double *B, size_t ldb, double *C,
                            size_t ldc)
{
    size_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS)
        multiply_columns(p, COLUMNS, j, B, ldb, C, ldc);
    for (; j < n; j++)
        multiply_columns(p, 1, j, B, ldb, C, ldc);
}

AVX512 static void copy_part(const struct part *p, const double *A, size_t lda)
{
    double *copy = avx512_copied;
    for (size_t i = 0; i < p->columns; i += block_rows(p->columns - i), copy += BLOCK_COPY)
        copy_columns(p->shape, A, lda, p->row, p->k, p->column + i, block_rows(p->columns - i),
                     copy);
}

/* The rows of C that at most COPIED_COLUMNS of A make. */
static void multiply_group(struct part p, size_t n, size_t k, const double *A, size_t lda,
                           const double *B, size_t ldb, double *C, size_t ldc)
{
    size_t end = p.shape == SHAPE_UPPER ? at_most(k, p.column + p.columns) : k;
    p.row = p.shape == SHAPE_UNIT_LOWER ? p.column : 0;
    size_t depth = even_depth(end - p.row);
    do {
        p.k = at_most(end - p.row, depth);
        p.next = p.row + p.k < end ? A + p.row + p.k + p.column * lda : NULL;
        copy_part(&p, A, lda);
        multiply(&p, n, B + p.row, ldb, C + p.column, ldc);
        p.row += p.k;
        p.mode = PRODUCT_ADD;
    } while (p.row < end);
}

void avx512_wide_product_transposed(enum product mode, enum shape shape, size_t m, size_t n,
                                    size_t k, const double *A, size_t lda, const double *B,
                                    size_t ldb, double *C, size_t ldc)
{
    for (size_t i = 0; i < m; i += COPIED_COLUMNS) {
        struct part p = {.mode = mode,
                         .shape = shape,
                         .column = i,
                         .columns = at_most(m - i, COPIED_COLUMNS),
                         .lda = lda};
        multiply_group(p, n, k, A, lda, B, ldb, C, ldc);
    }
}
#endif
