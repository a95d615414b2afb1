/* SPDX-License-Identifier: BSD-3-Clause
 * LU with partial pivoting of a few columns, for processors with AVX-512. Only dense/panel.c calls it, where
 * avx512_usable() (kernels/avx512/product.h). */
#ifndef POLLUX_KERNELS_AVX512_PANEL_H
#define POLLUX_KERNELS_AVX512_PANEL_H

#include <stddef.h>

/** Columns that avx512_panel_leaf factors at most. */
enum { PANEL_LEAF_COLUMNS = 8 };

/** LAPACK dgetrf of the m × n matrix, n <= m and n <= PANEL_LEAF_COLUMNS.
 * @return 1-based first column whose pivot is zero, or 0 */
size_t avx512_panel_leaf(size_t m, size_t n, double *A, size_t ld, int *pivots);

#endif
