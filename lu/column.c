/* SPDX-License-Identifier: BSD-3-Clause
 * LU `column`: PLASMA's formulation. One task updates a whole tile column and spawns a nested task
 * for each tile of it; the panel is factored by nested tasks. Dependences name columns only, by
 * their first tile: A0k and A0n.
 *
 * No task here has a priority: libgomp 12 crashes where tasks with priorities wait for children,
 * and libomp may hang when its tasks of highest priority cannot be scheduled inside a
 * taskwait (LLVM issue 97816). */
#include "lu/variants.h"

static void update_column(struct problem *p, size_t k, size_t n)
{
    /* A(k:,n) := P(k) A(k:,n) */
    lu_laswp(p, k, n);
    /* A(k,n) := L(k,k)⁻¹ A(k,n) */
    lu_trsm(p, k, n);
    for (size_t m = tile_below(p->A, k); m < p->A->mt; m++) {
        /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n)
        lu_gemm(p, k, m, n);
    }
#pragma omp taskwait
}

void lu_column_tasks(struct problem *p)
{
    size_t nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        double *A0k = tile_address(p->A, 0, k);
        /* A(k:,k), P(k) := lu(A(k:,k)) */
#pragma omp task firstprivate(p, k) \
    depend(inout : A0k[0])
        lu_getrf_tasks(p, k);

        for (size_t n = k + 1; n < nt; n++) {
            double *A0n = tile_address(p->A, 0, n);
            /* A(k:,n) := P(k) A(k:,n), its solve and its updates */
#pragma omp task firstprivate(p, k, n) \
    depend(in : A0k[0]) \
    depend(inout : A0n[0])
            update_column(p, k, n);
        }
        for (size_t n = 0; n < k; n++) {
            double *A0n = tile_address(p->A, 0, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : A0k[0]) \
    depend(inout : A0n[0])
            lu_laswp(p, k, n);
        }
    }
}
