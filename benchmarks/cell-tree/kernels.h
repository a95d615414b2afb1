/* SPDX-License-Identifier: BSD-3-Clause
 * The descriptions of the kernels of the tree of cells. */
#ifndef POLLUX_BENCHMARKS_CELL_TREE_KERNELS_H
#define POLLUX_BENCHMARKS_CELL_TREE_KERNELS_H

#include "common/execution/kernel.h"

extern const struct kernel about_leaf, about_parent;

#endif
