/* SPDX-License-Identifier: BSD-3-Clause
 * LU `multidep`: the panel and the row exchanges name every tile of their column with OpenMP 5.0
 * iterators, so that no stand-in is needed and the updates of a column run concurrently. */
#include "lu/variants.h"

void lu_multidep(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address(p->A, top, k);
        double *const *Ak = tile_column(p->A, k);
#pragma omp task firstprivate(p, k) \
    depend(iterator(size_t i = top : mt), inout : Ak[i][0]) \
    priority(PRIORITY_PANEL)
        lu_getrf(p, k);

        for (size_t j = k + 1; j < nt; j++) {
            double *Akj = tile_address(p->A, top, j);
            double *const *Aj = tile_column(p->A, j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(iterator(size_t i = top : mt), inout : Aj[i][0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : 0)
            lu_laswp(p, k, j);

#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Akj[0]) \
    priority(j == k + 1 ? PRIORITY_SOLVE : 0)
            lu_trsm(p, k, j);

            for (size_t m = top + 1; m < mt; m++) {
                double *Amk = tile_address(p->A, m, k);
                double *Amj = tile_address(p->A, m, j);
#pragma omp task firstprivate(p, k, m, j) \
    depend(in : Amk[0], Akj[0]) \
    depend(inout : Amj[0]) \
    priority(j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
            }
        }
        for (size_t j = 0; j < k; j++) {
            double *const *Aj = tile_column(p->A, j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(iterator(size_t i = top : mt), inout : Aj[i][0])
            lu_laswp(p, k, j);
        }
    }
}
