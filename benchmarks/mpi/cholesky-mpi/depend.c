/* SPDX-License-Identifier: BSD-3-Clause
 * The tasks of one rank: those of cholesky/depend.c that write a tile that lives here. Between them, tiles are shared
 * with the ranks that read them. */
#include "benchmarks/mpi/cholesky-mpi/cholesky_mpi.h"
#include "benchmarks/mpi/exchange.h"
#include "cholesky/cholesky.h"

/* A(k,k) := chol(A(k,k)) */
static void panel(struct problem *p, size_t k)
{
    double *Akk = tile_address(p->A, k, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0]) \
    priority(PRIORITY_PANEL) /* the whole step waits for it */
    cholesky_potrf(p, k);
}

/* A(m,k) := A(m,k) A(k,k)⁻ᵀ */
static void solve(struct problem *p, size_t k, size_t m)
{
    double *Akk = tile_address(p->A, k, k);
    double *Amk = tile_address(p->A, m, k);
#pragma omp task firstprivate(p, k, m) \
    depend(in : Akk[0]) \
    depend(inout : Amk[0]) \
    priority(PRIORITY_SOLVE) /* the updates, here and on other ranks, wait for it */
    cholesky_trsm(p, k, m);
}

/* A(n,n) -= A(n,k) A(n,k)ᵀ */
static void update_diagonal(struct problem *p, size_t k, size_t n)
{
    double *Ank = tile_address(p->A, n, k);
    double *Ann = tile_address(p->A, n, n);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Ank[0]) \
    depend(inout : Ann[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
    cholesky_syrk(p, k, n);
}

/* A(m,n) -= A(m,k) A(n,k)ᵀ */
static void update(struct problem *p, size_t k, size_t m, size_t n)
{
    double *Amk = tile_address(p->A, m, k);
    double *Ank = tile_address(p->A, n, k);
    double *Amn = tile_address(p->A, m, n);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Ank[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next step's solves wait for it */
    cholesky_gemm(p, k, m, n);
}

void cholesky_mpi_tasks(struct problem *p)
{
    size_t nt = p->A->nt, rows = world()->rows, columns = world()->columns;
    for (size_t k = 0; k < nt; k++) {
        if (is_here(k, k))
            panel(p, k);
        exchange_share(p, k, k);
        exchange_complete(p);

        for (size_t m = k + 1; m < nt; m++)
            if (is_here(m, k))
                solve(p, k, m);
        for (size_t m = k + 1; m < nt; m++)
            exchange_share(p, m, k);
        exchange_complete(p);

        for (size_t n = first_column_here(k + 1); n < nt; n += columns) {
            if (is_here(n, n))
                update_diagonal(p, k, n);
            for (size_t m = first_row_here(n + 1); m < nt; m += rows)
                update(p, k, m, n);
        }
    }
}
