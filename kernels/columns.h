/* SPDX-License-Identifier: BSD-3-Clause
 * How kernels that work on a whole column of tiles begin. */
#ifndef POLLUX_KERNELS_COLUMNS_H
#define POLLUX_KERNELS_COLUMNS_H

#include <stddef.h>

#include "common/execution.h"
#include "common/tile_matrix.h"

/** A column of tiles from row k down, and what a kernel uses beside it. */
struct column {
    const struct tile_matrix *A;
    size_t k, j;                 /**< tiles (k, j), (k + 1, j) … */
    enum access_mode mode;       /**< of the tiles */
    const struct access *others; /**< pivots, packed panel */
    size_t other_count;
};

/** Shows the observer, if there is one, a kernel of step k on such a column, and begins it. Its
 * topmost tile names it.
 * @return as execution_begin */
bool column_enter(struct execution *x, const char *name, struct column column);

#endif
