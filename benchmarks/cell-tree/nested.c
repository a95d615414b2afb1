/* SPDX-License-Identifier: BSD-3-Clause
 * Tree of cells `nested`: a parallel loop over the cells of each level, and in each cell one over slices of its
 * product. */
#include "benchmarks/cell-tree/cells.h"

void cell_run_slices(struct problem *p, size_t level, size_t c)
{
    size_t inner = p->parameters[CELLS_INNER], slices = cell_slices(p);
#pragma omp parallel for num_threads((int)inner) schedule(static) firstprivate(p, level, c, slices)
    for (size_t slice = 0; slice < slices; slice++)
        cell_inner_slice(p, level, c, slice);
}

void cells_nested(struct problem *p)
{
    size_t outer = p->threads;
    for (size_t level = p->parameters[CELLS_DEPTH] + 1; level-- > 0;) {
        size_t cells = cells_on_level(p, level);
#pragma omp parallel for num_threads((int)outer) schedule(static) firstprivate(p, level, cells)
        for (size_t c = 0; c < cells; c++) {
            /* q(c) := M x */
            cell_compute_nested(p, level, c);
        }
    }
}
