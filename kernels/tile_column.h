/* SPDX-License-Identifier: BSD-3-Clause
 * The start of kernels that work on a whole column of tiles. */
#ifndef POLLUX_KERNELS_TILE_COLUMN_H
#define POLLUX_KERNELS_TILE_COLUMN_H

#include <stddef.h>

#include "common/execution/execution.h"
#include "common/matrix/tile_matrix.h"

/** The tiles of a column that a step works on, and what else a kernel uses. */
struct column {
    const struct tile_matrix *A;
    size_t k, j;                 /**< step and column: tiles from (tile_top(A, k), j) down */
    enum access_mode mode;       /**< of the tiles */
    const struct access *others; /**< packed panel, pivots that are written */
    size_t other_count;
    const int *pivots;   /**< the matrix's pivots, of which some are read, or NULL */
    size_t pivot_steps;  /**< those of steps k, k + 1 … */
    bool named_by_other; /**< the last of `others` names the call, in place of the topmost tile */
};

/** The part of tile (i, j) that step k works on; i >= tile_top(A, k). */
struct tile column_tile(const struct tile_matrix *A, size_t k, size_t i, size_t j);

/** Sizes of a call on such a column: its rows from the step's first down, its columns, and those of
 * the step, or the rows that the step exchanges. */
struct call_sizes column_sizes(const struct tile_matrix *A, size_t k, size_t j);

/** Reports a kernel on such a column to the observer. */
void column_show(const struct observer *observer, struct call call, struct column column);

/** Reports a kernel of step k on such a column to the observer, if there is one, and begins it. Its
 * topmost tile names the call.
 * @return as execution_begin */
bool column_enter(struct execution *x, const struct kernel *kernel, struct column column);

#endif
