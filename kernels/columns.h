/* SPDX-License-Identifier: BSD-3-Clause
 * How kernels that work on a whole column of tiles describe themselves to an observer. */
#ifndef POLLUX_KERNELS_COLUMNS_H
#define POLLUX_KERNELS_COLUMNS_H

#include <stddef.h>

#include "common/execution.h"
#include "common/tile_matrix.h"

/** Shows the observer, if there is one, a kernel of step k that writes the tiles (k, j), (k + 1, j)
 * … and uses the pivots of step k. */
void observe_column(struct execution *x, const char *name, size_t k, const struct tile_matrix *A,
                    size_t j, const int *pivots, enum access_mode pivot_mode);

#endif
