/* SPDX-License-Identifier: BSD-3-Clause
 * Cells whose slices are computed by a team of their own. */
#include "benchmarks/cell-tree/cells.h"

void cell_compute_nested(struct problem *p, size_t level, size_t cell)
{
    if (!cell_enter(p, level, cell, 0, p->n))
        return;
    cell_run_slices(p, level, cell);
    execution_leave(p->execution);
}

void cell_inner_slice(struct problem *p, size_t level, size_t cell, size_t slice)
{
    if (slice == 0)
        execution_note_inner_team(p->execution);
    cell_slice(p, level, cell, slice);
}
