/* SPDX-License-Identifier: BSD-3-Clause
 * C := Aᵀ B, or added to C. Where B has many columns, the columns of A are transposed into the second-level
 * cache, a part of their rows at a time; B is read in place. */
#include "kernels/avx512/block.h"
#include "kernels/avx512/product.h"

/* Columns of A that are copied at once. */
enum { COPIED_COLUMNS = COPIED_BLOCKS * ROWS };

/* ---- the transposed copy ---- */

/* Rows of column c that are stored, and the one that is 1, where row `row` of A is the first of 8, and
 * c = `column` the first of 8. */
INLINE __m512d column_part(enum shape shape, const double *a, size_t row, size_t column, size_t c,
                           __mmask8 used)
{
    if (shape != SHAPE_UNIT_LOWER || row > column)
        return _mm512_maskz_loadu_pd(used, a);
    if (row < column)
        return _mm512_setzero_pd();
    __m512d unit = _mm512_maskz_mov_pd((__mmask8)(1u << c), _mm512_set1_pd(1));
    return _mm512_mask_loadu_pd(unit, used & (__mmask8)(0xfeu << c), a);
}

/* Lane i of transposed[j] is lane j of t[i]. */
INLINE void transpose(const __m512d t[LANES], __m512d transposed[LANES])
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

/* Rows row … row + count - 1 and columns column … column + 7, of which `columns` exist. */
INLINE void copy_square(enum shape shape, struct tile A, size_t row, size_t count, size_t column,
                        size_t columns, double *copy)
{
    __m512d a[LANES], rows[LANES];
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++)
        a[c] = column_part(shape, A.a + row + (column + smaller(c, columns - 1)) * A.ld, row,
                           column, c, lanes(count));
    transpose(a, rows);
    for (size_t i = 0; i < count; i++)
        _mm512_storeu_pd(copy + i * ROWS, rows[i]);
}

/* Rows first … first + k - 1 of at most 24 columns. */
INLINE void copy_columns(enum shape shape, struct tile A, size_t first, size_t k, size_t column,
                         size_t columns, double *copy)
{
    for (size_t l = 0; l < k; l += LANES)
        for (size_t c = 0; c < columns; c += LANES)
            copy_square(shape, A, first + l, smaller(k - l, LANES), column + c,
                        smaller(columns - c, LANES), copy + l * ROWS + c);
}

/* ---- products of the copy ---- */

/* A part of the product: rows row … row + k - 1 of A and of B. */
struct part {
    enum update update;
    enum shape shape;
    const struct tile *A;
    size_t row, k;
    size_t column; /* first of at most COPIED_COLUMNS of A, which are rows of C */
    size_t columns;
    bool last; /* no part of A follows */
};

/* Cuts a part to the rows in which the 24 columns from `column` on are not all zero. Returns the
 * first row, counted from the part's. */
static inline size_t skip_zeros(const struct part *p, size_t column, size_t *k)
{
    size_t first = p->shape == SHAPE_UNIT_LOWER && column > p->row ? column - p->row : 0;
    size_t end = p->k;
    if (p->shape == SHAPE_UPPER)
        end = column + ROWS > p->row ? smaller(end, column + ROWS - p->row) : 0;
    *k = end > first ? end - first : 0;
    return first;
}

/* The share of the next part that is prefetched while column j of B is used: 24 rows of the columns from i on. */
static inline struct prefetch next_part(const struct part *p, size_t i, size_t j)
{
    size_t row = j / COLUMNS * ROWS, ld = p->A->ld;
    if (p->last || row >= p->k)
        return (struct prefetch){NULL, ld, 0};
    return (struct prefetch){p->A->a + p->row + p->k + row + (p->column + i) * ld, ld,
                             smaller(p->columns - i, ROWS)};
}

/* `width` columns of C from j on. */
INLINE void multiply_columns(const struct part *p, size_t width, size_t j, const struct tile *B,
                             const struct tile *C)
{
    const double *copied = avx512_copied;
    size_t rows;
    for (size_t i = 0; i < p->columns; i += rows, copied += BLOCK_COPY) {
        rows = block_rows(p->columns - i);
        size_t k, first = skip_zeros(p, p->column + i, &k);
        if (k == 0 && p->update == UPDATE_ADD)
            continue;
        struct block_update u = {.update = p->update,
                                 .k = k,
                                 .left = {copied + first * ROWS, ROWS, NULL},
                                 .right = {B->a + p->row + first + j * B->ld, 1, B->ld},
                                 .next = next_part(p, i, j),
                                 .C = C->a + p->column + i + j * C->ld,
                                 .ldc = C->ld};
        update_block(&u, rows, width);
    }
}

static void multiply(const struct part *p, const struct tile *B, const struct tile *C)
{
    size_t j = 0;
    for (; j + COLUMNS <= C->cols; j += COLUMNS)
        multiply_columns(p, COLUMNS, j, B, C);
    for (; j < C->cols; j++)
        multiply_columns(p, 1, j, B, C);
}

static void copy_part(const struct part *p)
{
    double *copy = avx512_copied;
    for (size_t i = 0; i < p->columns; i += block_rows(p->columns - i), copy += BLOCK_COPY)
        copy_columns(p->shape, *p->A, p->row, p->k, p->column + i, block_rows(p->columns - i),
                     copy);
}

/* The rows of C that at most COPIED_COLUMNS of A make. */
static void multiply_group(struct part p, const struct tile *B, const struct tile *C)
{
    size_t k = p.A->rows, end = p.shape == SHAPE_UPPER ? smaller(k, p.column + p.columns) : k;
    p.row = p.shape == SHAPE_UNIT_LOWER ? p.column : 0;
    size_t depth = even_depth(end - p.row);
    do {
        p.k = smaller(end - p.row, depth);
        p.last = p.row + p.k == end;
        copy_part(&p);
        multiply(&p, B, C);
        p.row += p.k;
        p.update = UPDATE_ADD;
    } while (p.row < end);
}

/* Transposing A first is faster where A has more columns than NARROW, and B at least WIDE
 * (docs/evaluation/performance.md). */
enum { NARROW = 32, WIDE = 64 };

void avx512_product_transposed(enum update update, enum shape shape, const struct tile *A,
                               const struct tile *B, const struct tile *C)
{
    if (C->rows <= NARROW || C->cols < WIDE) {
        avx512_dot_products(update, shape, A, B, C);
        return;
    }
    for (size_t i = 0; i < C->rows; i += COPIED_COLUMNS) {
        struct part p = {.update = update,
                         .shape = shape,
                         .A = A,
                         .column = i,
                         .columns = smaller(C->rows - i, COPIED_COLUMNS)};
        multiply_group(p, B, C);
    }
}
