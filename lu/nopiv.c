/* SPDX-License-Identifier: BSD-3-Clause
 * LU `nopiv`: the four-kernel LU without pivoting of Figure 1 in Lima et al., "Performance and
 * energy analysis of OpenMP runtime systems with dense linear algebra algorithms" (IJHPCA 33(3),
 * 2019): lu0, fwd, bdiv, bmod. For diagonally dominant matrices. */
#include "lu/variants.h"

void lu_nopiv(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    lu_no_exchanges(p);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t below = tile_below(p->A, k);
        double *Akk = tile_address_at_step(p->A, k, k);
        /* A(k,k) := lu(A(k,k)) */
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        lu_getrf_nopiv(p, k);

        for (size_t n = k + 1; n < nt; n++) {
            double *Akn = tile_address_at_step(p->A, k, n);
            /* A(k,n) := L(k,k)⁻¹ A(k,n) */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
    priority(PRIORITY_SOLVE) /* the updates wait for it */
            lu_trsm(p, k, n);
        }
        for (size_t m = below; m < mt; m++) {
            double *Amk = tile_address(p->A, m, k);
            /* A(m,k) := A(m,k) U(k,k)⁻¹ */
#pragma omp task firstprivate(p, k, m) \
    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE) /* the updates wait for it */
            lu_trsm_right(p, k, m);
        }
        for (size_t m = below; m < mt; m++) {
            for (size_t n = k + 1; n < nt; n++) {
                double *Amk = tile_address(p->A, m, k);
                double *Akn = tile_address_at_step(p->A, k, n);
                double *Amn = tile_address(p->A, m, n);
                /* A(m,n) -= A(m,k) A(k,n) */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Akn[0]) \
    depend(inout : Amn[0]) \
    priority(m == below || n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel and solves wait */
                lu_gemm(p, k, m, n);
            }
        }
    }
}
