/* SPDX-License-Identifier: BSD-3-Clause
 * LU-CW `lean`: the graph of `cw` with fewer items, as lu/lean.c has fewer than lu/depend.c. */
#include "cw-extension/concurrent_write.h"
#include "cw-extension/lu_cw.h"
#include "lu/lu.h"

void lu_cw_lean(struct problem *p)
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
#if defined(POLLUX_CW_LIBKOMP)
#pragma omp task firstprivate(p, k, m, n) \
    depend(inout : Amn[0]) \
    depend(cw : Cn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
#elif defined(POLLUX_CW_OMPSS)
#pragma omp task firstprivate(p, k, m, n) \
    depend(inout : Amn[0]) \
    concurrent(Cn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
#elif defined(POLLUX_CW_INOUTSET)
#pragma omp task firstprivate(p, k, m, n) \
    depend(inout : Amn[0]) \
    depend(inoutset : Cn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
#else
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Cn[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
#endif
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
