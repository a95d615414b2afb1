/* SPDX-License-Identifier: BSD-3-Clause
 * LU `multidep`: the panel and the row exchanges name every tile of their column with OpenMP 5.0
 * iterators, so that no stand-in is needed and the updates of a column run concurrently. Ak and An
 * hold the addresses of the tiles of columns k and n. */
#include "lu/variants.h"

void lu_multidep(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address_at_step(p->A, k, k);
        double *const *Ak = tile_column(p->A, k);
        /* A(k:,k), P(k) := lu(A(k:,k)) */
#pragma omp task firstprivate(p, k) \
    depend(iterator(size_t i = top : mt), inout : Ak[i][0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        lu_getrf(p, k);

        for (size_t n = k + 1; n < nt; n++) {
            double *Akn = tile_address_at_step(p->A, k, n);
            double *const *An = tile_column(p->A, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(iterator(size_t i = top : mt), inout : An[i][0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
            lu_laswp(p, k, n);

            /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
            lu_trsm(p, k, n);

            for (size_t m = tile_below(p->A, k); m < mt; m++) {
                double *Amk = tile_address(p->A, m, k);
                double *Amn = tile_address(p->A, m, n);
                /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Akn[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
                lu_gemm(p, k, m, n);
            }
        }
        for (size_t n = 0; n < k; n++) {
            double *const *An = tile_column(p->A, n);
            /* A(k:,n) := P(k) A(k:,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(iterator(size_t i = top : mt), inout : An[i][0])
            lu_laswp(p, k, n);
        }
    }
}
