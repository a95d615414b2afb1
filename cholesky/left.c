/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `left`: left-looking, a column receives all its updates just before it is factored. */
#include "cholesky/cholesky.h"

void cholesky_left(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t n = 0; n < nt; n++) {
        double *Ann = tile_address_at_step(p->A, n, n);
        for (size_t k = 0; k < n; k++) {
            double *Ank = tile_address_at_step(p->A, n, k);
            /* A(n,n) -= A(n,k) A(n,k)ᵀ */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Ank[0]) \
    depend(inout : Ann[0]) \
    priority(PRIORITY_SOLVE) /* the panel waits for it */
            cholesky_syrk(p, k, n);
        }
        /* A(n,n) := chol(A(n,n)) */
#pragma omp task firstprivate(p, n) \
    depend(inout : Ann[0]) \
    priority(PRIORITY_PANEL) /* all solves of the column wait for it */
        cholesky_potrf(p, n);

        for (size_t m = tile_below(p->A, n); m < mt; m++) {
            double *Amn = tile_address(p->A, m, n);
            for (size_t k = 0; k < n; k++) {
                double *Amk = tile_address(p->A, m, k);
                double *Ank = tile_address_at_step(p->A, n, k);
                /* A(m,n) -= A(m,k) A(n,k)ᵀ */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Ank[0]) \
    depend(inout : Amn[0]) \
    priority(m == tile_below(p->A, n) ? PRIORITY_NEXT : 0) /* the next panel waits for row n+1 */
                cholesky_gemm(p, k, m, n);
            }
            /* A(m,n) := A(m,n) A(n,n)⁻ᵀ */
#pragma omp task firstprivate(p, n, m) \
    depend(in : Ann[0]) \
    depend(inout : Amn[0]) \
    priority(PRIORITY_NEXT) /* the updates of all later columns wait for it */
            cholesky_trsm(p, n, m);
        }
    }
}
