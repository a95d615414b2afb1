/* SPDX-License-Identifier: BSD-3-Clause
 * LU with partial pivoting of a few columns. */
#ifndef POLLUX_KERNELS_VECTORS_PANEL_H
#define POLLUX_KERNELS_VECTORS_PANEL_H

#include "kernels/vectors/code.h"
#include "kernels/vectors/vectors.h"

/** LAPACK dgetrf of a panel, which has at least as many rows as columns, and at most PANEL_LEAF_COLUMNS of these. */
void ISA(panel_leaf)(const struct tile *panel, int *pivots);

#endif
