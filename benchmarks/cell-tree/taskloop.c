/* SPDX-License-Identifier: BSD-3-Clause
 * Tree of cells `taskloop`: the slices of all cells of a level are one taskloop; a taskwait ends the level. */
#include "benchmarks/cell-tree/cells.h"

void cells_taskloop(struct problem *p)
{
    size_t slices = cell_slices(p);
    for (size_t level = p->parameters[CELLS_DEPTH] + 1; level-- > 0;) {
        size_t work = cells_on_level(p, level) * slices;
#pragma omp taskloop nogroup firstprivate(p, level, slices)
        for (size_t i = 0; i < work; i++) {
            /* rows of q(c) := rows of M x */
            cell_compute_slice(p, level, i / slices, i % slices);
        }
        execution_note_submitted(p->execution);
#pragma omp taskwait
    }
}
