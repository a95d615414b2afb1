/* SPDX-License-Identifier: BSD-3-Clause
 * LU with partial pivoting of a few columns, for processors with AVX-512. */
#ifndef POLLUX_KERNELS_AVX512_PANEL_H
#define POLLUX_KERNELS_AVX512_PANEL_H

#include "common/matrix/tile_matrix.h"

/** Columns that avx512_panel_leaf factors at most. */
enum { PANEL_LEAF_COLUMNS = 8 };

/** LAPACK dgetrf of a panel, which has at least as many rows as columns, and at most PANEL_LEAF_COLUMNS of these.
 * @return 1-based first column whose pivot is zero, or 0 */
size_t avx512_panel_leaf(const struct tile *panel, int *pivots);

#endif
