/* SPDX-License-Identifier: BSD-3-Clause
 * C := C - A op(B), whole or its lower trapezoid. Of A, two blocks of rows at a time, with AVX-512 the fastest of one to
 * ten, or one where op(B) is small, are copied into the second-level cache, while they are multiplied by the first
 * columns of op(B); B is read in place. While a block is computed, the operands of the next one are prefetched. */
#include "kernels/vectors/product.h"

#include "kernels/vectors/block.h"

/* At most two blocks of rows of C, all of its columns; `below` are the rows of A after them, which are
 * prefetched. */
INLINE void subtract_rows(struct tile A, size_t below, struct stored B, struct tile C)
{
    for (size_t j = 0; j < C.cols; j += COLUMNS) {
        size_t prefetched = j * A.cols / C.cols,
               count = (j + COLUMNS) * A.cols / C.cols - prefetched;
        double *copy = copied_rows;
        for (size_t i = 0; i < C.rows; i += block_rows(C.rows - i), copy += BLOCK_COPY) {
            struct block_update u = {
                .update = UPDATE_SUBTRACT,
                .k = A.cols,
                .right = part_of(B, 0, j),
                .next = {A.a + C.rows + i + prefetched * A.ld, A.ld, i < below ? count : 0},
                .C = C.a + i + j * C.ld,
                .ldc = C.ld};
            if (j == 0) {
                u.left = (struct left){A.a + i, A.ld, copy};
                update_block(&u, block_rows(C.rows - i), COLUMNS);
            } else {
                u.left = (struct left){copy, ROWS, NULL};
                update_block(&u, block_rows(C.rows - i), COLUMNS);
            }
        }
    }
}

INLINE void subtract(struct tile A, struct stored B, struct tile C)
{
    size_t depth = even_depth(A.cols), rows;
    for (size_t l = 0; l < A.cols; l += depth)
        for (size_t i = 0; i < C.rows; i += rows) {
            size_t left = C.rows - i;
            rows = block_rows(left);
            if (depth * C.cols > NEAR_ELEMENTS)
                rows += block_rows(left - rows);
            subtract_rows(tile_submatrix(A, i, l, rows, smaller(A.cols - l, depth)), left - rows,
                          part_of(B, l, 0), tile_submatrix(C, i, 0, rows, C.cols));
        }
}

void ISA(subtract_product)(const struct tile *A, enum transpose op, const struct tile *B,
                           const struct tile *C)
{
    if (op == TRANSPOSE)
        subtract(*A, stored_transposed(*B), *C);
    else
        subtract(*A, stored(*B), *C);
}

/* ---- C := C - A A₁ᵀ in the lower trapezoid ---- */

/* Of column c of a block whose first row is on the diagonal: the lanes of vector v on and below it. */
INLINE lane_mask lower_lanes(struct rows rows, size_t v, size_t c)
{
    lane_mask below = v > 0 ? ALL_LANES : lanes_of((unsigned)ALL_LANES << c);
    return v + 1 < rows.vectors ? below : lanes_of(below & rows.used);
}

/* The columns of one block, from the diagonal on. */
INLINE void subtract_diagonal(const struct block_update *u, struct rows rows)
{
    block x;
    compute_block(u, rows, COLUMNS, x);
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            v_store_lanes(u->C + c * u->ldc + v * LANES, lower_lanes(rows, v, c), x[c][v]);
}

/* Rows i … of C, at most ROWS: the blocks on the diagonal. A has the same rows, A₁ all. */
INLINE void subtract_diagonals(struct rows rows, size_t i, struct tile A, struct tile A1,
                               struct tile C)
{
#pragma GCC unroll 3
    for (size_t v = 0; v < rows.vectors; v++) {
        size_t j = i + v * LANES;
        if (j >= C.cols)
            return;
        struct block_update u = {.update = UPDATE_SUBTRACT,
                                 .k = A.cols,
                                 .left = {A.a + v * LANES, A.ld, NULL},
                                 .right = part_of(stored_transposed(A1), 0, j),
                                 .next = {A.a, A.ld, 0},
                                 .C = C.a + j + j * C.ld,
                                 .ldc = C.ld};
        subtract_diagonal(&u, (struct rows){rows.vectors - v, rows.whole, rows.used});
    }
}

static void subtract_lower_rows(size_t i, const struct tile *A, const struct tile *A1,
                                const struct tile *C)
{
    CALL_WITH_ROWS(subtract_diagonals, A->rows, i, *A, *A1, *C);
}

void ISA(subtract_symmetric_product)(const struct tile *A, const struct tile *C)
{
    size_t depth = even_depth(A->cols);
    for (size_t l = 0; l < A->cols; l += depth)
        for (size_t i = 0; i < C->rows; i += ROWS) {
            size_t rows = smaller(C->rows - i, ROWS), k = smaller(A->cols - l, depth);
            struct tile left = tile_submatrix(*A, i, l, rows, k);
            struct tile A1 = tile_submatrix(*A, 0, l, C->cols, k);
            subtract_rows(left, C->rows - i - rows, stored_transposed(A1),
                          tile_submatrix(*C, i, 0, rows, smaller(i, C->cols)));
            subtract_lower_rows(i, &left, &A1, C);
        }
}
