/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of elements of B stay in registers from their first update to their solution. */
#include "kernels/vectors/triangular_solve.h"

#include "kernels/vectors/block.h"

/* ---- from the right: B := B T⁻¹, T upper triangular ---- */

/* x := the solution of COLUMNS columns, already updated by all columns before them; d is the
 * diagonal block of T. */
INLINE void solve_columns(size_t vectors, struct stored d, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++) {
        vector inverse = v_all(1.0 / d.a[c * d.row + c * d.column]);
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            x[c][v] = v_multiply(x[c][v], inverse);
#pragma GCC unroll 8
        for (size_t later = c + 1; later < COLUMNS; later++) {
            vector t = v_all(d.a[c * d.row + later * d.column]);
#pragma GCC unroll 3
            for (size_t v = 0; v < vectors; v++)
                x[later][v] = v_subtract_product(x[c][v], t, x[later][v]);
        }
    }
}

_Static_assert((int)SOLVE_ORDER <= COPIED_BLOCKS * DEPTH,
               "a copy holds all columns of a block's rows");

/* Copies columns first … of the rows that are solved. */
INLINE void copy_solved(struct rows rows, size_t first, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            v_store_aligned(copied_rows + (first + c) * ROWS + v * LANES, x[c][v]);
}

/* Rows i … of B, at most ROWS, from the first column to the last; rows after them are prefetched. */
INLINE void solve_some_rows(struct rows rows, size_t i, struct stored T, struct tile B)
{
    size_t prefetched = B.rows - i > ROWS ? COLUMNS : 0;
    for (size_t j = 0; j < B.cols; j += COLUMNS) {
        double *b = B.a + i + j * B.ld;
        struct block_update u = {.update = UPDATE_SUBTRACT,
                                 .k = j,
                                 .left = {copied_rows, ROWS, NULL},
                                 .right = part_of(T, 0, j),
                                 .next = {b + ROWS, B.ld, prefetched},
                                 .C = b,
                                 .ldc = B.ld};
        block x;
        compute_block(&u, rows, COLUMNS, x);
        solve_columns(rows.vectors, part_of(T, j, j), x);
        copy_solved(rows, j, x);
        store_block(rows, COLUMNS, b, B.ld, x);
    }
}

INLINE void solve_rows(size_t i, struct stored T, struct tile B)
{
    size_t count = B.rows - i;
    CALL_WITH_ROWS(solve_some_rows, count, i, T, B);
}

void ISA(solve_right)(enum transpose op, const struct tile *T, const struct tile *B)
{
    for (size_t i = 0; i < B->rows; i += ROWS)
        if (op == TRANSPOSE)
            solve_rows(i, stored_transposed(*T), *B);
        else
            solve_rows(i, stored(*T), *B);
}

/* ---- from the left: B := L⁻¹ B, L unit lower triangular ---- */

/* x := x - l b, a column l of L and a row b of B. */
INLINE void update_rows(size_t vectors, size_t columns, const double *l, const double *b,
                        size_t ldb, block x)
{
    vector left[VECTORS];
#pragma GCC unroll 3
    for (size_t v = 0; v < vectors; v++)
        left[v] = v_load(l + v * LANES);
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++) {
        vector right = v_all(b[c * ldb]);
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            x[c][v] = v_subtract_product(left[v], right, x[c][v]);
    }
}

/* Subtracts the rows of vector s of x, one after the other, from those below; L from the first row of x on. */
INLINE void eliminate(size_t vectors, size_t columns, size_t s, const double *L, size_t ldl,
                      block x)
{
#pragma GCC unroll 1
    for (size_t k = 0; k < LANES; k++) {
        const double *l = L + (s * LANES + k) * ldl;
        vector left[VECTORS];
        left[s] = v_load_lanes(lanes_of(0xfeu << k), l + s * LANES);
#pragma GCC unroll 3
        for (size_t v = s + 1; v < vectors; v++)
            left[v] = v_load(l + v * LANES);
#pragma GCC unroll 8
        for (size_t c = 0; c < columns; c++) {
            vector row = v_spread(x[c][s], k);
#pragma GCC unroll 3
            for (size_t v = s; v < vectors; v++)
                x[c][v] = v_subtract_product(left[v], row, x[c][v]);
        }
    }
}

/* Rows i … of a few columns of B, the first at B, given those above. */
INLINE void solve_part(size_t vectors, size_t columns, size_t i, struct tile L, double *B,
                       size_t ldb)
{
    block x;
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++) {
            const double *b = B + i + c * ldb + v * LANES;
            x[c][v] = v_load(b);
            to_first_level(b + COLUMNS * ldb);
        }
    for (size_t k = 0; k < i; k++)
        update_rows(vectors, columns, L.a + i + k * L.ld, B + k, ldb, x);
#pragma GCC unroll 3
    for (size_t s = 0; s < vectors; s++)
        eliminate(vectors, columns, s, L.a + i + i * L.ld, L.ld, x);
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            v_store(B + i + c * ldb + v * LANES, x[c][v]);
}

INLINE void solve_left(size_t columns, struct tile L, double *B, size_t ldb)
{
    size_t m = L.cols, i = 0;
    for (; i + ROWS <= m; i += ROWS)
        solve_part(VECTORS, columns, i, L, B, ldb);
    if (m - i == (size_t)2 * LANES)
        solve_part(2, columns, i, L, B, ldb);
    else if (m - i == LANES)
        solve_part(1, columns, i, L, B, ldb);
}

void ISA(solve_left_unit_lower)(const struct tile *L, const struct tile *B)
{
    const struct tile triangle = *L, b = *B;
    size_t j = 0;
    for (; j + COLUMNS <= b.cols; j += COLUMNS)
        solve_left(COLUMNS, triangle, b.a + j * b.ld, b.ld);
    for (; j < b.cols; j++)
        solve_left(1, triangle, b.a + j * b.ld, b.ld);
}
