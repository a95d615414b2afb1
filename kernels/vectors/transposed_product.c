/* SPDX-License-Identifier: BSD-3-Clause
 * C := Aᵀ B, or added to C. Where B has many columns, the columns of A are transposed into the second-level
 * cache, a part of their rows at a time; B is read in place. */
#include "kernels/vectors/block.h"
#include "kernels/vectors/product.h"

/* Columns of A that are copied at once. */
enum { COPIED_COLUMNS = COPIED_BLOCKS * ROWS };

/* ---- the transposed copy ---- */

/* Rows of column c that are stored, and the one that is 1, where row `row` of A and c = `column`
 * are the first of a vector. */
INLINE vector column_part(enum shape shape, const double *a, size_t row, size_t column, size_t c,
                          lane_mask used)
{
    if (shape != SHAPE_UNIT_LOWER || row > column)
        return v_load_lanes(used, a);
    if (row < column)
        return v_zero();
    vector unit = v_ones(lanes_of(1u << c));
    return v_load_over(unit, used & lanes_of(0xfeu << c), a);
}

/* Rows row … row + count - 1 and columns column … of one vector, of which `columns` exist. */
INLINE void copy_square(enum shape shape, struct tile A, size_t row, size_t count, size_t column,
                        size_t columns, double *copy)
{
    vector a[LANES], rows[LANES];
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++)
        a[c] = column_part(shape, A.a + row + (column + smaller(c, columns - 1)) * A.ld, row,
                           column, c, lanes(count));
    v_transpose(a, rows);
    for (size_t i = 0; i < count; i++)
        v_store(copy + i * ROWS, rows[i]);
}

/* Rows first … first + k - 1 of at most ROWS columns. */
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

/* Cuts a part to the rows in which the ROWS columns from `column` on are not all zero. Returns the
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

/* The share of the next part that is prefetched while column j of B is used: ROWS rows of the columns from i on. */
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
    const double *copied = copied_rows;
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
    double *copy = copied_rows;
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

void ISA(product_transposed)(enum update update, enum shape shape, const struct tile *A,
                             const struct tile *B, const struct tile *C)
{
    if (C->rows <= NARROW || C->cols < WIDE) {
        ISA(dot_products)(update, shape, A, B, C);
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
