/* SPDX-License-Identifier: BSD-3-Clause
 * Panels of LU with partial pivoting: factored by recursive halving of their columns, whole or piece by
 * piece. */
#ifndef POLLUX_KERNELS_DENSE_PANEL_H
#define POLLUX_KERNELS_DENSE_PANEL_H

#include "common/matrix/tile_matrix.h"

/** A matrix and the pivots of its columns; a view, which owns neither. */
struct panel {
    struct tile A;
    int *pivots; /**< 1-based rows of A, one for each of min(rows, cols) columns */
};

/** 1-based first column that contains a NaN or an infinity, or 0. */
size_t panel_first_bad_column(struct panel panel);

/** LAPACK dgetrf, up to the first pivot that is zero or not finite. @return its 1-based column, or 0 */
size_t panel_factor(struct panel panel);

/** The columns [first, first + count). */
struct panel panel_columns(struct panel panel, size_t first, size_t count);

/** The same columns without the first `rows` rows; pivots stay those of these columns. */
struct panel panel_below(struct panel panel, size_t rows);

/** Applies the row exchanges that `factored` recorded to the rows of `other`. */
void panel_exchange(struct panel factored, struct panel other);

/** The first rows of `right`, as many as `factored` has columns, := L⁻¹ times them. */
void panel_solve(struct panel factored, struct panel right);

/** Rows [row, row + count) of `right`, or as many as there are, minus the product of the same
 * rows of `left` and the first rows of right, as many as `left` has columns. */
void panel_update(struct panel left, struct panel right, size_t row, size_t count);

/** Adds `rows` to the panel's pivots. */
void panel_shift_pivots(struct panel panel, size_t rows);

#endif
