/* SPDX-License-Identifier: BSD-3-Clause
 * LU `cw`: the graph of LU `depend` (lu/depend.c), but the updates of column j access its stand-in
 * Cj by concurrent write: they run concurrently, and are ordered against the exchange before and
 * the exchange or panel after them. */
#include "cw-extension/concurrent_write.h"
#include "cw-extension/lu_cw.h"
#include "lu/lu.h"

void lu_cw_submit(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address(p->A, top, k);
        double *Ck = lu_column(p, (ptrdiff_t)k);
        double *Cp = lu_column(p, (ptrdiff_t)k - 1);
#pragma omp task firstprivate(p, k) \
    depend(in : Cp[0]) \
    depend(inout : Akk[0], Ck[0]) \
    priority(PRIORITY_PANEL)
        lu_getrf(p, k);

        for (size_t j = k + 1; j < nt; j++) {
            double *Akj = tile_address(p->A, top, j);
            double *Cj = lu_column(p, (ptrdiff_t)j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0], Cp[0]) \
    depend(inout : Akj[0], Cj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : 0)
            lu_laswp(p, k, j);

#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Akj[0], Cj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : 0)
            lu_trsm(p, k, j);

            for (size_t m = top + 1; m < mt; m++) {
                double *Amj = tile_address(p->A, m, j);
#if defined(POLLUX_CW_LIBKOMP)
#pragma omp task firstprivate(p, k, m, j) \
    depend(inout : Amj[0]) \
    depend(cw : Cj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
#elif defined(POLLUX_CW_OMPSS)
#pragma omp task firstprivate(p, k, m, j) \
    depend(inout : Amj[0]) \
    concurrent(Cj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
#elif defined(POLLUX_CW_INOUTSET)
#pragma omp task firstprivate(p, k, m, j) \
    depend(inout : Amj[0]) \
    depend(inoutset : Cj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
#else
#pragma omp task firstprivate(p, k, m, j) \
    depend(in : Cj[0]) \
    depend(inout : Amj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
#endif
            }
        }
        for (size_t j = 0; j < k; j++) {
            double *Cj = lu_column(p, (ptrdiff_t)j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Cj[0])
            lu_laswp(p, k, j);
        }
    }
}
