/* SPDX-License-Identifier: BSD-3-Clause
 * C := C - L B, L a unit lower triangle. Blocks are computed as in other products, except for the columns of L that
 * begin in their rows: their ones and zeros, which are not stored, are made in registers. */
#include "kernels/vectors/block.h"
#include "kernels/vectors/product.h"

/* Columns of L between two accesses to C. */
enum { PART = 256 };

/* A block of C, and its factors: k columns of L that are stored whole in its rows, and `cut` after them, of
 * which the first has `skip` rows above its one. */
struct triangle_block {
    size_t k, cut, skip;
    const double *L;
    size_t ldl;
    const double *B;
    size_t ldb;
    double *C;
    size_t ldc;
};

/* A column of L whose one is in row `skip` of the block. */
INLINE void load_cut_column(struct rows rows, const double *l, size_t skip, vector a[VECTORS])
{
    unsigned one = 1u << skip, used = (unsigned)rows.used << LANES * (rows.vectors - 1);
    unsigned kept = (used | (used - 1)) & ~(2 * one - 1);
#pragma GCC unroll 3
    for (size_t v = 0; v < rows.vectors; v++) {
        vector ones = v_ones(lanes_of(one >> LANES * v));
        a[v] = v_load_over(ones, lanes_of(kept >> LANES * v), l + v * LANES);
    }
}

INLINE void subtract_block(struct rows rows, const struct triangle_block *t, size_t columns)
{
    block x;
    clear_block(rows, columns, x);
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
        prefetch_column(rows, t->C + c * t->ldc);
    add_products(rows, columns, t->k, (struct left){t->L, t->ldl, NULL},
                 (struct stored){t->B, 1, t->ldb}, x);
    for (size_t l = t->k; l < t->k + t->cut; l++) {
        vector a[VECTORS];
        load_cut_column(rows, t->L + l * t->ldl, t->skip + l - t->k, a);
        add_product(rows, columns, a, t->B + l, t->ldb, x);
    }
    combine_block(UPDATE_SUBTRACT, rows, columns, t->C, t->ldc, x);
    store_block(rows, columns, t->C, t->ldc, x);
}

INLINE void subtract_rows(const struct triangle_block *t, size_t count, size_t columns)
{
    CALL_WITH_ROWS(subtract_block, count, t, columns);
}

/* Rows i … of C, at most ROWS, and columns l … of L. */
static void subtract_part(size_t i, size_t l, const struct tile *L, const struct tile *B,
                          const struct tile *C)
{
    size_t rows = smaller(C->rows - i, ROWS), depth = smaller(L->cols - l, PART);
    size_t k = i > l ? smaller(i - l, depth) : 0;
    struct triangle_block t = {.k = k,
                               .cut = smaller(i + rows - l, depth) - k,
                               .skip = l + k - i,
                               .L = L->a + i + l * L->ld,
                               .ldl = L->ld,
                               .ldb = B->ld,
                               .ldc = C->ld};
    size_t j = 0;
    for (; j + COLUMNS <= C->cols; j += COLUMNS) {
        t.B = B->a + l + j * B->ld;
        t.C = C->a + i + j * C->ld;
        subtract_rows(&t, rows, COLUMNS);
    }
    for (; j < C->cols; j++) {
        t.B = B->a + l + j * B->ld;
        t.C = C->a + i + j * C->ld;
        subtract_rows(&t, rows, 1);
    }
}

void ISA(subtract_triangle_product)(const struct tile *L, const struct tile *B,
                                    const struct tile *C)
{
    for (size_t l = 0; l < L->cols; l += PART)
        for (size_t i = l / ROWS * ROWS; i < C->rows; i += ROWS)
            subtract_part(i, l, L, B, C);
}
