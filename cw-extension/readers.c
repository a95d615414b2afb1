/* SPDX-License-Identifier: BSD-3-Clause
 * LU-CW `readers`: the graph of `cw` where the updates of column n are readers of its stand-in Cn: they run
 * concurrently too, and every runtime has depend(in). */
#include "cw-extension/lu_cw.h"
#include "lu/lu.h"

void lu_cw_readers(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        double *Akk = tile_address_at_step(p->A, k, k);
        double *Ck = lu_column(p, k);
        double *Cprev = lu_column_before(p, k);
        /* A(k:,k), P(k) := lu(A(k:,k)) */
#pragma omp task firstprivate(p, k) depend(in : Cprev[0]) depend(inout : Akk[0], Ck[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        lu_getrf(p, k);

        for (size_t n = k + 1; n < nt; n++) {
            double *Akn = tile_address_at_step(p->A, k, n);
            double *Cn = lu_column(p, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) depend(in : Akk[0], Cprev[0]) depend(inout : Akn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
            lu_laswp(p, k, n);

            /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n) depend(in : Akk[0]) depend(inout : Akn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
            lu_trsm(p, k, n);

            for (size_t m = tile_below(p->A, k); m < mt; m++) {
                double *Amk = tile_address(p->A, m, k);
                double *Amn = tile_address(p->A, m, n);
                /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n) depend(in : Amk[0], Akn[0], Cn[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
            }
        }
        for (size_t n = 0; n < k; n++) {
            double *Cn = lu_column(p, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) depend(in : Akk[0]) depend(inout : Cn[0])
            lu_laswp(p, k, n);
        }
    }
}
