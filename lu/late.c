/* SPDX-License-Identifier: BSD-3-Clause
 * LU `late`: the exchanges left of a panel wait until the last panel is factored. Nobody reads those rows
 * in between, and one pass over a column then applies the exchanges of all panels behind it.
 *
 * Cj stands for column j as the solve leaves it: panel, exchanges and solve change it, updates rely on
 * it. They write different tiles, so they run concurrently. */
#include "lu/variants.h"

void lu_late(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt, steps = tile_steps(p->A);
    for (size_t k = 0; k < steps; k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address(p->A, top, k);
        double *Ck = lu_column(p, (ptrdiff_t)k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0], Ck[0]) \
    priority(PRIORITY_PANEL)
        lu_getrf(p, k);

        for (size_t j = k + 1; j < nt; j++) {
            double *Akj = tile_address(p->A, top, j);
            double *Cj = lu_column(p, (ptrdiff_t)j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Akj[0], Cj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : priority_of_step(k, steps))
            lu_laswp(p, k, j);

#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Akj[0], Cj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : priority_of_step(k, steps))
            lu_trsm(p, k, j);

            for (size_t m = top + 1; m < mt; m++) {
                double *Amj = tile_address(p->A, m, j);
#pragma omp task firstprivate(p, k, m, j) \
    depend(in : Cj[0]) \
    depend(inout : Amj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
            }
        }
    }
#pragma omp taskwait
    for (size_t j = 0; j + 1 < steps; j++) {
#pragma omp task firstprivate(p, j)
        lu_laswp_behind(p, j);
    }
}
