/* SPDX-License-Identifier: BSD-3-Clause
 * LU `forkjoin`: independent tasks between taskwaits, no dependences. */
#include "lu/variants.h"

static void exchange_and_solve(struct problem *p, size_t k, size_t j)
{
    lu_laswp(p, k, j);
    lu_trsm(p, k, j);
}

void lu_forkjoin(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < tile_steps(p->A); k++) {
        lu_getrf(p, k);
        for (size_t j = k + 1; j < nt; j++) {
#pragma omp task firstprivate(p, k, j)
            exchange_and_solve(p, k, j);
        }
        for (size_t j = 0; j < k; j++) {
#pragma omp task firstprivate(p, k, j)
            lu_laswp(p, k, j);
        }
#pragma omp taskwait
        for (size_t j = k + 1; j < nt; j++) {
            for (size_t m = tile_top(p->A, k) + 1; m < mt; m++) {
#pragma omp task firstprivate(p, k, m, j)
                lu_gemm(p, k, m, j);
            }
        }
#pragma omp taskwait
    }
}
