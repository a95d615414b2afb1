/* SPDX-License-Identifier: BSD-3-Clause
 * Tree of cells `seq`: level after level, without OpenMP. */
#include "benchmarks/cell-tree/cells.h"

void cells_seq(struct problem *p)
{
    for (size_t level = p->parameters[CELLS_DEPTH] + 1; level-- > 0;)
        for (size_t c = 0; c < cells_on_level(p, level); c++) {
            /* q(c) := M x */
            cell_compute(p, level, c);
        }
}
