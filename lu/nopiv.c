/* SPDX-License-Identifier: BSD-3-Clause
 * LU `nopiv`: the four-kernel LU without pivoting of Figure 1 in Lima et al., "Performance and
 * energy analysis of OpenMP runtime systems with dense linear algebra algorithms" (IJHPCA 33(3),
 * 2019): lu0, fwd, bdiv, bmod. For diagonally dominant matrices. */
#include "kernels/kernels.h"
#include "lu/variants.h"

static void lu0(struct problem *p, size_t k)
{
    kernel_getrf_nopiv(p->execution, k, k * p->A->nb, tile_at_step(p->A, k, k));
}

/* The tile below the diagonal: A(m,k) := A(m,k) U(k,k)⁻¹. */
static void bdiv(struct problem *p, size_t k, size_t m)
{
    kernel_trsm_right_upper(p->execution, k, tile_block(p->A, k, k), tile_at(p->A, m, k));
}

static void no_exchanges(struct problem *p)
{
    struct lu_factors *f = p->factors;
    for (size_t i = 0; i < (p->m < p->n ? p->m : p->n); i++)
        f->pivots[i] = (int)i + 1;
}

void lu_nopiv(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    no_exchanges(p);
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        size_t top = tile_top(p->A, k);
        double *Akk = tile_address(p->A, top, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL)
        lu0(p, k);

        for (size_t j = k + 1; j < nt; j++) {
            double *Akj = tile_address(p->A, top, j);
#pragma omp task firstprivate(p, k, j) \
    depend(in : Akk[0]) \
    depend(inout : Akj[0]) \
    priority(PRIORITY_SOLVE)
            lu_trsm(p, k, j);
        }
        for (size_t m = top + 1; m < mt; m++) {
            double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE)
            bdiv(p, k, m);
        }
        for (size_t m = top + 1; m < mt; m++) {
            for (size_t j = k + 1; j < nt; j++) {
                double *Amk = tile_address(p->A, m, k);
                double *Akj = tile_address(p->A, top, j);
                double *Amj = tile_address(p->A, m, j);
#pragma omp task firstprivate(p, k, m, j) \
    depend(in : Amk[0], Akj[0]) \
    depend(inout : Amj[0]) \
    priority(m == top + 1 || j == k + 1 ? PRIORITY_NEXT : 0)
                lu_gemm(p, k, m, j);
            }
        }
    }
}
