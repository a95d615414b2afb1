/* SPDX-License-Identifier: BSD-3-Clause
 * A tile column packed into one column-major matrix, for LU panels: how getrf gets it in and out,
 * and the pieces of a factorization by recursive halving. */
#ifndef POLLUX_KERNELS_DENSE_PANEL_H
#define POLLUX_KERNELS_DENSE_PANEL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/matrix/tile_matrix.h"

/** A rows × cols matrix and the pivots of its columns; a view, it never owns. */
struct panel {
    double *a;
    size_t rows, cols, ld;
    int *pivots; /**< 1-based rows of this panel, one for each of min(rows, cols) columns */
};

/** The panel of step k of A in `storage` (kernel_getrf_panel_doubles); its pivots are the entries of
 * `pivots` that belong to step k. No element is touched. */
struct panel panel_view(const struct tile_matrix *A, size_t k, double *storage, int *pivots);

/** The panel of step k where it lies, if that is in one tile.
 * @return false if it lies in several */
bool panel_in_place(const struct tile_matrix *A, size_t k, int *pivots, struct panel *panel);

/** Packs the rows from k*nb down of tile column k into the panel of step k. */
void panel_load(const struct tile_matrix *A, size_t k, struct panel panel);

/** Unpacks the panel into its tiles. */
void panel_store(struct tile_matrix *A, size_t k, struct panel panel);

/** 1-based first column that holds a NaN or an infinity, or 0. */
size_t panel_first_bad_column(struct panel panel);

/** LAPACK dgetrf. @return 1-based first column whose pivot is zero, or 0 */
size_t panel_factor(struct panel panel);

/** The columns [first, first + count). */
struct panel panel_columns(struct panel panel, size_t first, size_t count);

/** The same columns without the first `rows` rows; pivots stay those of these columns. */
struct panel panel_below(struct panel panel, size_t rows);

/** Applies the row exchanges that `factored` recorded to the rows of `other`. */
void panel_exchange(struct panel factored, struct panel other);

/** The first factored.cols rows of `right` := L⁻¹ times them. */
void panel_solve(struct panel factored, struct panel right);

/** Rows [row, row + count) of right, as far as there are so many: minus the product of the same
 * rows of `left` and the first left.cols rows of right. */
void panel_update(struct panel left, struct panel right, size_t row, size_t count);

/** Adds `rows` to the panel's pivots. */
void panel_shift_pivots(struct panel panel, size_t rows);

#endif
