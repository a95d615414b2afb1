/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `nested`: the graph of `depend`; inside each task but the panel's, a parallel region over
 * slices of the tile. */
#include "cholesky/cholesky.h"
#include "cholesky/slices.h"

void cholesky_run_slices(struct problem *p, struct sliced_call call)
{
    size_t slices = p->parameters[CHOLESKY_INNER_THREADS], k = call.k, m = call.m, n = call.n;
    enum sliced kernel = call.kernel;
#pragma omp parallel for num_threads((int)slices) schedule(static, 1) \
    firstprivate(p, kernel, k, m, n, slices)
    for (size_t slice = 0; slice < slices; slice++)
        cholesky_slice(p, (struct sliced_call){kernel, k, m, n}, slice);
}

void cholesky_nested(struct problem *p)
{
    size_t mt = p->A->mt, nt = p->A->nt;
    for (size_t k = 0; k < nt; k++) {
        double *Akk = tile_address_at_step(p->A, k, k);
        /* A(k,k) := chol(A(k,k)) */
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
        cholesky_potrf(p, k);

        for (size_t m = tile_below(p->A, k); m < mt; m++) {
            double *Amk = tile_address(p->A, m, k);
            /* A(m,k) := A(m,k) A(k,k)⁻ᵀ */
#pragma omp task firstprivate(p, k, m) \
    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE) /* the updates wait for it */
            cholesky_sliced_trsm(p, k, m);
        }
        for (size_t n = k + 1; n < nt; n++) {
            double *Ank = tile_address_at_step(p->A, n, k);
            double *Ann = tile_address_at_step(p->A, n, n);
            /* A(n,n) -= A(n,k) A(n,k)ᵀ */
#pragma omp task firstprivate(p, k, n) \
    depend(in : Ank[0]) \
    depend(inout : Ann[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 2 * n < k + nt ? PRIORITY_NEXT : 0) \
    /* the next panel waits for it; then the nearer half of the columns */
            cholesky_sliced_syrk(p, k, n);

            for (size_t m = tile_below(p->A, n); m < mt; m++) {
                double *Amk = tile_address(p->A, m, k);
                double *Amn = tile_address(p->A, m, n);
                /* A(m,n) -= A(m,k) A(n,k)ᵀ */
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Ank[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next step's solves wait for it */
                cholesky_sliced_gemm(p, k, m, n);
            }
        }
    }
}
