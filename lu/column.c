/* SPDX-License-Identifier: BSD-3-Clause
 * LU `column`: PLASMA's formulation. One task updates a whole tile column and spawns a nested task
 * for each tile of it; the panel is factored by nested tasks. Dependences name columns only, by
 * their first tile.
 *
 * No task here has a priority: libgomp 12 crashes where tasks with priorities wait for children,
 * and libomp may stop for good when its tasks of highest priority cannot be scheduled inside a
 * taskwait (LLVM issue 97816). */
#include "lu/variants.h"

static void update_column(struct problem *p, size_t k, size_t j)
{
    lu_laswp(p, k, j);
    lu_trsm(p, k, j);
    for (size_t m = tile_top(p->A, k) + 1; m < p->A->mt; m++) {
#pragma omp task firstprivate(p, k, m, j)
        lu_gemm(p, k, m, j);
    }
#pragma omp taskwait
}

void lu_column_tasks(struct problem *p)
{
    size_t nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        double *Ak = tile_address(p->A, 0, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Ak[0])
        lu_getrf_tasks(p, k);

        for (size_t j = k + 1; j < nt; j++) {
            double *Aj = tile_address(p->A, 0, j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Ak[0]) \
    depend(inout : Aj[0])
            update_column(p, k, j);
        }
        for (size_t j = 0; j < k; j++) {
            double *Aj = tile_address(p->A, 0, j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Ak[0]) \
    depend(inout : Aj[0])
            lu_laswp(p, k, j);
        }
    }
}
