/* SPDX-License-Identifier: BSD-3-Clause
 * LU `ahead`: the exchanges left of a panel wait until the end, as in `late`, and of the other tasks those of the
 * leftmost columns come first. A column is then carried through all panels that are factored, while it is in a cache,
 * and the panels run ahead of the updates of the columns far to the right.
 *
 * Cn orders all tasks of column n but the solves, as in `depend`: two threads that updated one column together would
 * leave it for the next one half as far. */
#include "lu/variants.h"

void lu_ahead(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt, steps = tile_steps(p->A);
    for (size_t k = 0; k < steps; k++) {
        double *Akk = tile_address_at_step(p->A, k, k);
        double *Ck = lu_column(p, k);
        /* A(k:,k), P(k) := lu(A(k:,k)) */
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0], Ck[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        lu_getrf(p, k);

        for (size_t n = k + 1; n < nt; n++) {
            double *Akn = tile_address_at_step(p->A, k, n);
            double *Cn = lu_column(p, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : priority_of_step(n, nt)) \
    /* the next panel waits for it; of the others the leftmost column first */
            lu_laswp(p, k, n);

            /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : priority_of_step(n, nt)) \
    /* the next panel waits for it; of the others the leftmost column first */
            lu_trsm(p, k, n);

            for (size_t m = tile_below(p->A, k); m < mt; m++) {
                double *Amk = tile_address(p->A, m, k);
                double *Amn = tile_address(p->A, m, n);
                /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Akn[0]) \
    depend(inout : Amn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : priority_of_step(n, nt)) \
    /* the next panel waits for it; of the others the leftmost column first */
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
