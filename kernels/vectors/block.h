/* SPDX-License-Identifier: BSD-3-Clause
 * The micro-kernel of all products but dot products, and of the solves from the right: a block of at most
 * ROWS × COLUMNS elements of C, 24 × 8 with AVX-512 and 12 × 4 with AVX2, whose products stay in registers. */
#ifndef POLLUX_KERNELS_VECTORS_BLOCK_H
#define POLLUX_KERNELS_VECTORS_BLOCK_H

#include <stdbool.h>

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"
#include "kernels/vectors/copied_rows.h"
#include "kernels/vectors/vectors.h"

/* ---- operands ---- */

/* Rows of a block. */
enum { VECTORS = 3, ROWS = LANES * VECTORS };

typedef vector block[COLUMNS][VECTORS];

/* The rows that a block has: a number of vectors, of which only `used` lanes of the last count,
 * unless it is whole. */
struct rows {
    size_t vectors;
    bool whole;
    lane_mask used;
};

/* A matrix, or its transpose, where it is stored: element (i, j) is a[i * row + j * column]. */
struct stored {
    const double *a;
    size_t row, column;
};

/* The rows of a left factor: column l is a + l * column, and is copied to copy + ROWS l, unless that is
 * NULL. */
struct left {
    const double *a;
    size_t column;
    double *copy;
};

/* What is prefetched into the second-level cache while a block is computed: columns of its length. */
struct prefetch {
    const double *a;
    size_t column, count;
};

/* A block of C, and the product that updates it: of `left`, with k columns, and `right`, with k rows. */
struct block_update {
    enum update update;
    size_t k;
    struct left left;
    struct stored right;
    struct prefetch next;
    double *C;
    size_t ldc;
};

/* Doubles in a copied block. */
enum { BLOCK_COPY = ROWS * DEPTH };

_Static_assert((int)COPIED_BLOCKS *(int)BLOCK_COPY <= (int)COPIED_DOUBLES,
               "the calling thread's copies have their place");

/* The depth of each part of an inner dimension k: as even as whole vectors allow, at most DEPTH. */
static inline size_t even_depth(size_t k)
{
    size_t parts = ceiling(k, DEPTH);
    size_t depth = parts ? ceiling(k, parts) : LANES;
    return ceiling(depth, LANES) * LANES;
}

/* The rows of the next block when `left` rows are left. Those that fill four vectors make two blocks of two, since
 * a block of one waits for its factors. */
static inline size_t block_rows(size_t left)
{
    size_t most = left <= (size_t)4 * LANES ? 2 * LANES : ROWS;
    return left <= ROWS ? left : most;
}

INLINE struct rows all_rows(void)
{
    return (struct rows){VECTORS, true, ALL_LANES};
}

/* `count` rows, in as many vectors as they need. */
INLINE struct rows some_rows(size_t vectors, size_t count)
{
    return (struct rows){vectors, false, lanes(count - (vectors - 1) * LANES)};
}

/* Calls a function with `count` rows, at most ROWS, and other arguments. The number of vectors is a constant in each call,
 * so that each vector gets a register. */
#define CALL_WITH_ROWS(function, count, ...) \
    do { \
        if ((count) >= ROWS) \
            function(all_rows(), __VA_ARGS__); \
        else if ((count) > (size_t)2 * LANES) \
            function(some_rows(3, count), __VA_ARGS__); \
        else if ((count) > LANES) \
            function(some_rows(2, count), __VA_ARGS__); \
        else \
            function(some_rows(1, count), __VA_ARGS__); \
    } while (0)

INLINE struct stored stored(struct tile t)
{
    return (struct stored){t.a, 1, t.ld};
}

INLINE struct stored stored_transposed(struct tile t)
{
    return (struct stored){t.a, t.ld, 1};
}

INLINE struct stored part_of(struct stored b, size_t i, size_t j)
{
    return (struct stored){b.a + i * b.row + j * b.column, b.row, b.column};
}

/* ---- memory ---- */

/* Columns of a left factor, or rows of a right one, that are prefetched into the first-level cache before their
 * turn. */
enum { AHEAD = 8 };

INLINE vector load(const double *a, struct rows rows, size_t v)
{
    if (rows.whole || v + 1 < rows.vectors)
        return v_load(a + v * LANES);
    return v_load_lanes(rows.used, a + v * LANES);
}

INLINE void store(double *a, struct rows rows, size_t v, vector x)
{
    if (rows.whole || v + 1 < rows.vectors)
        v_store(a + v * LANES, x);
    else
        v_store_lanes(a + v * LANES, rows.used, x);
}

INLINE void store_block(struct rows rows, size_t columns, double *a, size_t ld, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            store(a + c * ld, rows, v, x[c][v]);
}

/* Prefetches the part of the next columns of b that the row `i` here needs: a cache line of one column
 * where these are contiguous, a line of the row otherwise. Without columns to prefetch, a row ahead. */
INLINE void prefetch_right(struct stored b, size_t i)
{
    if (PREFETCH_COLUMNS)
        to_second_level(b.a + (b.row == 1 ? COLUMNS + i % COLUMNS : COLUMNS) * b.column);
    else if (b.row != 1)
        to_first_level(b.a + AHEAD * b.row);
}

/* Prefetches the share of `next` that is due with one column of a block. */
INLINE void prefetch_share(struct rows rows, size_t share, struct prefetch next)
{
    size_t end = (share + 1) * next.count / COLUMNS;
    for (size_t l = share * next.count / COLUMNS; l < end; l++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            to_second_level(next.a + l * next.column + v * LANES);
}

INLINE void prefetch_column(struct rows rows, const double *c)
{
#pragma GCC unroll 3
    for (size_t v = 0; v < rows.vectors; v++)
        to_first_level(c + v * LANES);
}

/* ---- products ---- */

INLINE void clear_block(struct rows rows, size_t columns, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            x[c][v] = v_zero();
}

/* x := x + a b, with one column a and one row b. */
INLINE void add_product(struct rows rows, size_t columns, const vector a[VECTORS], const double *b,
                        size_t ldb, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++) {
        vector right = v_all(b[c * ldb]);
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            x[c][v] = in_turn(v_add_product(a[v], right, x[c][v]));
    }
}

/* x := x + a b, with k columns of a and k rows of b. */
INLINE void add_products(struct rows rows, size_t columns, size_t k, struct left left,
                         struct stored b, block x)
{
#pragma GCC unroll 2
    for (size_t l = 0; l < k; l++, left.a += left.column, b.a += b.row) {
        prefetch_right(b, l);
        vector a[VECTORS];
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++) {
            a[v] = load(left.a, rows, v);
            if (left.copy)
                v_store(left.copy + l * ROWS + v * LANES, a[v]);
            if (PREFETCH_COLUMNS && v * LANES % LINE == 0)
                to_first_level(left.a + AHEAD * left.column + v * LANES);
        }
        add_product(rows, columns, a, b.a, b.column, x);
    }
}

/* Elements of C after the update by a product. */
INLINE vector combined(enum update update, struct rows rows, const double *c, size_t v,
                       vector product)
{
    if (update == UPDATE_ASSIGN)
        return product;
    vector before = load(c, rows, v);
    return update == UPDATE_ADD ? v_add(before, product) : v_subtract(before, product);
}

/* x := a block of C updated by the product x. */
INLINE void combine_block(enum update update, struct rows rows, size_t columns, const double *C,
                          size_t ldc, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            x[c][v] = combined(update, rows, C + c * ldc, v, x[c][v]);
}

/* x := the updated block, of at most COLUMNS columns. C is read only at the end: meanwhile it is prefetched, a
 * column at a time. */
INLINE void compute_block(const struct block_update *u, struct rows rows, size_t columns, block x)
{
    clear_block(rows, columns, x);
    for (size_t share = 0; share < COLUMNS; share++) {
        size_t first = share * u->k / COLUMNS, count = (share + 1) * u->k / COLUMNS - first;
        struct left part = {u->left.a + first * u->left.column, u->left.column,
                            u->left.copy ? u->left.copy + first * ROWS : NULL};
        if (share < columns)
            prefetch_column(rows, u->C + share * u->ldc);
        prefetch_share(rows, share, u->next);
        add_products(rows, columns, count, part, part_of(u->right, first, 0), x);
    }
    combine_block(u->update, rows, columns, u->C, u->ldc, x);
}

INLINE void compute_and_store(struct rows rows, const struct block_update *u, size_t columns)
{
    block x;
    compute_block(u, rows, columns, x);
    store_block(rows, columns, u->C, u->ldc, x);
}

/* Updates a block of `count` rows, at most ROWS. */
INLINE void update_block(const struct block_update *u, size_t count, size_t columns)
{
    CALL_WITH_ROWS(compute_and_store, count, u, columns);
}

#endif
