/* SPDX-License-Identifier: BSD-3-Clause
 * Jacobi `lean`: the graph of `depend`, without the items that order nothing. A tile waits for its southern
 * and eastern neighbours of the sweep before because these have read what it overwrites. */
#include "benchmarks/jacobi/jacobi.h"

void jacobi_lean(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t s = 0; s < jacobi_sweeps(p); s++)
        for (size_t n = 0; n < nt; n++)
            for (size_t m = 0; m < mt; m++) {
                double *Unorth = jacobi_old(p, s, m - 1, n);
                double *Uwest = jacobi_old(p, s, m, n - 1);
                double *Umn = jacobi_old(p, s, m, n);
                double *Vmn = jacobi_new(p, s, m, n);
                /* V(m,n) := sweep of U(m,n) */
#pragma omp task firstprivate(p, s, m, n) \
    depend(in : Umn[0], Unorth[0], Uwest[0]) \
    depend(inout : Vmn[0])
                jacobi_sweep(p, s, m, n);
            }
}
