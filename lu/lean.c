/* SPDX-License-Identifier: BSD-3-Clause
 * LU `lean`: the graph of `depend` with fewer items. The solve of column n carries an inout on the
 * column's stand-in Cn, as exchanges, updates and panel do. Cn and Cprev then order an update against
 * all tasks that write the tiles it reads, and it does not name these. The same pairs of tasks are
 * ordered as in `depend`. */
#include "lu/variants.h"

void lu_lean(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        double *Akk = tile_address_at_step(p->A, k, k);
        double *Ck = lu_column(p, k);
        double *Cprev = lu_column_before(p, k);
        /* A(k:,k), P(k) := lu(A(k:,k)) */
#pragma omp task firstprivate(p, k) \
    depend(in : Cprev[0]) \
    depend(inout : Akk[0], Ck[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        lu_getrf(p, k);

        for (size_t n = k + 1; n < nt; n++) {
            double *Akn = tile_address_at_step(p->A, k, n);
            double *Cn = lu_column(p, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0], Cprev[0]) \
    depend(inout : Akn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
            lu_laswp(p, k, n);

            /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
            lu_trsm(p, k, n);

            for (size_t m = tile_below(p->A, k); m < mt; m++) {
                double *Amn = tile_address(p->A, m, n);
                /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n) \
    depend(inout : Amn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
            }
        }
        for (size_t n = 0; n < k; n++) {
            double *Cn = lu_column(p, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Cn[0])
            lu_laswp(p, k, n);
        }
    }
}
