/* SPDX-License-Identifier: BSD-3-Clause
 * Tree of cells `depend-nested`: the graph of `depend`, a parallel region over the slices inside each task. */
#include "benchmarks/cell-tree/cells.h"

/* The tasks of `depend` call these. */
#define cells_depend cells_depend_nested
#define cell_compute cell_compute_nested
#include "benchmarks/cell-tree/depend.c" /* NOLINT(bugprone-suspicious-include) */
