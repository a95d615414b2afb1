/* SPDX-License-Identifier: BSD-3-Clause
 * With partial pivoting: the tasks of lu/late.c of those columns that live here. A panel goes to all ranks when it is
 * factored, its pivots too. Row exchanges left of the panels come when all else is complete, since columns are read, and
 * sent, until then.
 *
 * The panel and the exchanges touch a whole column and name its first tile of the step and its stand-in Cn; the pivots of
 * a step name themselves, Pk. */
#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/lu-mpi/lu_mpi.h"
#include "common/base/sizes.h"
#include "lu/lu.h"

/* A(k:,k), P(k) := lu(A(k:,k)) */
static void panel(struct problem *p, size_t k)
{
    double *Akk = tile_address(p->A, k, k);
    double *Ck = lu_column(p, k);
    int *Pk = lu_mpi_pivots(p, k);
#pragma omp task firstprivate(p, k) \
    depend(inout : Akk[0], Ck[0]) \
    depend(out : Pk[0]) \
    priority(PRIORITY_PANEL) /* the whole step, on all ranks, waits for it */
    lu_getrf(p, k);
}

/* A(k:,n) := P(k) A(k:,n) */
static void exchange_rows(struct problem *p, size_t k, size_t n)
{
    double *Akn = tile_address(p->A, k, n);
    double *Cn = lu_column(p, n);
    int *Pk = lu_mpi_pivots(p, k);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Pk[0]) \
    depend(inout : Akn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
    lu_laswp(p, k, n);
}

/* A(k,n) := L(k,k)⁻¹ A(k,n) */
static void solve(struct problem *p, size_t k, size_t n)
{
    double *Akk = tile_address(p->A, k, k);
    double *Akn = tile_address(p->A, k, n);
#pragma omp task firstprivate(p, k, n) \
    depend(in : Akk[0]) \
    depend(inout : Akn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
    lu_trsm(p, k, n);
}

/* A(m,n) -= A(m,k) A(k,n) */
static void update(struct problem *p, size_t k, size_t m, size_t n)
{
    double *Amk = tile_address(p->A, m, k);
    double *Akn = tile_address(p->A, k, n);
    double *Amn = tile_address(p->A, m, n);
    double *Cn = lu_column(p, n);
#pragma omp task firstprivate(p, k, m, n) \
    depend(in : Amk[0], Akn[0], Cn[0]) \
    depend(inout : Amn[0]) \
    priority(n == k + 1 ? PRIORITY_NEXT : 0) /* the next panel waits for it */
    lu_gemm(p, k, m, n);
}

/* On the rank of the panel it is its task that all messages wait for; on others tiles are named as ever. */
static void share_panel(struct problem *p, size_t k)
{
    int *Pk = lu_mpi_pivots(p, k);
    for (size_t m = k; m < p->A->nt; m++)
        exchange_share_named(p, m, k, tile_address(p->A, k, k));
    const struct message pivots = {.buffer = Pk,
                                   .names = Pk,
                                   .count = (int)smaller(p->A->nb, p->n - k * p->A->nb),
                                   .type = MPI_INT};
    exchange_share_with_all(p, pivots, world_owner(k, k), k);
}

void lu_mpi_partial_tasks(struct problem *p)
{
    size_t nt = p->A->nt, columns = world()->columns;
    for (size_t k = 0; k < nt; k++) {
        if (is_here(k, k))
            panel(p, k);
        share_panel(p, k);
        exchange_complete(p);

        for (size_t n = first_column_here(k + 1); n < nt; n += columns) {
            exchange_rows(p, k, n);
            solve(p, k, n);
            for (size_t m = k + 1; m < nt; m++)
                update(p, k, m, n);
        }
    }
}

void lu_mpi_last_exchanges(struct problem *p)
{
    size_t columns = world()->columns;
    for (size_t n = first_column_here(0); n + 1 < p->A->nt; n += columns) {
        /* A(n+1:,n) := P(nt-1) … P(n+1) A(n+1:,n) */
#pragma omp task firstprivate(p, n)
        lu_laswp_behind(p, n);
    }
}
