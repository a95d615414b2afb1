/* SPDX-License-Identifier: BSD-3-Clause
 * Tree of cells `depend-nested`: the graph of `depend`, a parallel region over the slices inside each task. */
#include "benchmarks/cell-tree/cells.h"

void cells_depend_nested(struct problem *p)
{
    size_t leaves = p->parameters[CELLS_DEPTH], branching = p->parameters[CELLS_BRANCHING];
    for (size_t c = 0; c < cells_on_level(p, leaves); c++) {
        double *Qc = cell_vector(p, leaves, c);
        /* q(c) := S s(c) */
#pragma omp task firstprivate(p, leaves, c) \
    depend(inout : Qc[0])
        cell_compute_nested(p, leaves, c);
    }
    for (size_t level = leaves; level-- > 0;)
        for (size_t c = 0; c < cells_on_level(p, level); c++) {
            double *Qc = cell_vector(p, level, c);
            double *const *Q = cell_children(p, level, c);
            /* q(c) := P (q(c1), q(c2) …) */
#pragma omp task firstprivate(p, level, c, Q, branching) \
    depend(iterator(size_t j = 0 : branching), in : Q[j][0]) \
    depend(inout : Qc[0])
            cell_compute_nested(p, level, c);
        }
}
