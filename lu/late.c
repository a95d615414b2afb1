/* SPDX-License-Identifier: BSD-3-Clause
 * LU `late`: the exchanges left of a panel wait until the last panel is factored. No task reads those rows
 * in between, and one pass over a column then applies the exchanges of all later panels.
 *
 * Cn stands for the order of the rows of column n: panel and exchanges change it, updates rely on it.
 * They write different tiles, so they run concurrently. */
#include "lu/variants.h"

void lu_late_with(struct problem *p, void (*panel)(struct problem *p, size_t k))
{
    size_t mt = p->A->mt, nt = p->A->nt, steps = tile_steps(p->A);
    for (size_t k = 0; k < steps; k++) {
        double *Akk = tile_address_at_step(p->A, k, k);
        double *Ck = lu_column(p, k);
        /* A(k:,k), P(k) := lu(A(k:,k)) */
#pragma omp task firstprivate(p, k, panel) \
    depend(inout : Akk[0], Ck[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        panel(p, k);

        for (size_t n = k + 1; n < nt; n++) {
            double *Akn = tile_address_at_step(p->A, k, n);
            double *Cn = lu_column(p, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : priority_of_step(k, steps)) \
    /* the next panel waits for it; of the others the oldest step first */
            lu_laswp(p, k, n);

            /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : priority_of_step(k, steps)) \
    /* the next panel waits for it; of the others the oldest step first */
            lu_trsm(p, k, n);

            for (size_t m = tile_below(p->A, k); m < mt; m++) {
                double *Amk = tile_address(p->A, m, k);
                double *Amn = tile_address(p->A, m, n);
                /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Akn[0], Cn[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
            }
        }
    }
#pragma omp taskwait
    for (size_t n = 0; n + 1 < steps; n++) {
        /* A(n+1:,n) := P(steps-1) … P(n+1) A(n+1:,n) */
#pragma omp task firstprivate(p, n)
        lu_laswp_behind(p, n);
    }
}

void lu_late(struct problem *p)
{
    lu_late_with(p, lu_getrf);
}
