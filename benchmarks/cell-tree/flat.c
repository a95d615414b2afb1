/* SPDX-License-Identifier: BSD-3-Clause
 * Tree of cells `flat`: a parallel loop over the cells of each level. */
#include "benchmarks/cell-tree/cells.h"

void cells_flat(struct problem *p)
{
    size_t outer = p->threads;
    for (size_t level = p->parameters[CELLS_DEPTH] + 1; level-- > 0;) {
        size_t cells = cells_on_level(p, level);
#pragma omp parallel for num_threads((int)outer) schedule(static) firstprivate(p, level, cells)
        for (size_t c = 0; c < cells; c++) {
            /* q(c) := M x */
            cell_compute(p, level, c);
        }
    }
}
