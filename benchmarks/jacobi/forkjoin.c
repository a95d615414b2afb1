/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi `forkjoin`: the tasks of a sweep between taskwaits, no dependences. */
#include "benchmarks/jacobi/jacobi.h"

void jacobi_forkjoin(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t s = 0; s < jacobi_sweeps(p); s++) {
        for (size_t n = 0; n < nt; n++)
            for (size_t m = 0; m < mt; m++) {
            /* V(m,n) := sweep of U(m,n) */
#pragma omp task firstprivate(p, s, m, n)
                jacobi_sweep(p, s, m, n);
            }
        execution_note_submitted(p->execution);
#pragma omp taskwait
    }
}
