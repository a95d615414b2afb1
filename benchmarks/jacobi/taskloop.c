/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi `taskloop`: each sweep is a loop over the tiles, which the runtime divides into tasks; a taskwait
 * ends it. */
#include "benchmarks/jacobi/jacobi.h"

void jacobi_taskloop(struct problem *p)
{
    size_t mt = p->A->mt, tiles = mt * p->A->nt;
    for (size_t s = 0; s < jacobi_sweeps(p); s++) {
#pragma omp taskloop nogroup firstprivate(p, s, mt)
        for (size_t t = 0; t < tiles; t++) {
            /* V(m,n) := sweep of U(m,n) */
            jacobi_sweep(p, s, t % mt, t / mt);
        }
        execution_note_submitted(p->execution);
#pragma omp taskwait
    }
}
