/* SPDX-License-Identifier: BSD-3-Clause
 * With partial pivoting: the tasks of lu/late.c. The tiles of a panel come to the rank of the diagonal and are factored
 * there; from there they go home and to those that read them, and the pivots to all ranks. Or the panel is factored where
 * it lives (panel_spread.c). To exchange the rows of column n, tile A(k,n) visits the ranks on which the tiles below it
 * live. Row exchanges left of the panels come last, each column on the rank of its diagonal.
 *
 * The panel and the last exchanges name all tiles of their column, and the pivots of a step name themselves, Pk. Other
 * exchanges touch the tiles of a column that live here and name its stand-in Cn. */
#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/lu-mpi/lu_mpi.h"
#include "common/base/sizes.h"
#include "lu/lu.h"

/* A(k:,k), P(k) := lu(A(k:,k)) */
static void panel(struct problem *p, size_t k)
{
    size_t mt = p->A->mt;
    double *const *Ak = tile_column(p->A, k);
    int *Pk = lu_mpi_pivots(p, k);
#pragma omp task firstprivate(p, k) \
    depend(iterator(size_t i = k : mt), inout : Ak[i][0]) \
    depend(out : Pk[0]) \
    priority(PRIORITY_PANEL) /* the whole step, on all ranks, waits for it */
    lu_mpi_getrf(p, k);
}

/* A(k:,n) := P(k) A(k:,n), as far as rows of A(k,n) and of a part of the tiles below are concerned */
static void exchange_rows(struct problem *p, size_t k, size_t n, struct laswp_part part)
{
    double *Akn = tile_address(p->A, k, n);
    double *Cn = lu_column(p, n);
    int *Pk = lu_mpi_pivots(p, k);
#pragma omp task firstprivate(p, k, n, part) \
    depend(in : Pk[0]) \
    depend(inout : Akn[0], Cn[0]) \
    priority(n == k + 1 ? PRIORITY_SOLVE : 0) /* the next panel waits for it */
    lu_mpi_laswp(p, k, n, part);
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

/* A(n+1:,n) := P(nt-1) … P(n+1) A(n+1:,n) */
static void exchange_behind(struct problem *p, size_t n)
{
    size_t mt = p->A->mt, nb = p->A->nb;
    double *const *An = tile_column(p->A, n);
    int *P = lu_mpi_pivots(p, 0);
#pragma omp task firstprivate(p, n) \
    depend(iterator(size_t i = n + 1 : mt), in : P[i * nb]) \
    depend(iterator(size_t i = n + 1 : mt), inout : An[i][0])
    lu_mpi_laswp_behind(p, n);
}

/* The tiles of column n from row `first` on come to the rank of the diagonal. */
static void gather(struct problem *p, size_t first, size_t n)
{
    for (size_t m = first; m < p->A->mt; m++)
        exchange_move(p, m, n, world_owner(m, n), world_owner(n, n));
}

/* They go home. */
static void scatter(struct problem *p, size_t first, size_t n)
{
    for (size_t m = first; m < p->A->mt; m++)
        exchange_move(p, m, n, world_owner(n, n), world_owner(m, n));
}

static void factor_together(struct problem *p, size_t k)
{
    gather(p, k + 1, k);
    exchange_complete(p);
    if (is_here(k, k))
        panel(p, k);
}

static void share_panel(struct problem *p, size_t k)
{
    for (size_t m = k; m < p->A->mt; m++)
        exchange_share(p, m, k);
    const struct message pivots = {.buffer = lu_mpi_pivots(p, k),
                                   .count = (int)smaller(p->A->nb, p->n - k * p->A->nb),
                                   .type = MPI_INT};
    exchange_share_with_all(p, pivots, world_owner(k, k), k);
}

/* Row k of tiles comes from the ranks of row `from` to those of row `to`, and meets the tiles below it that live there. */
static void visit(struct problem *p, size_t k, size_t from, size_t to)
{
    size_t nt = p->A->nt, rows = world()->rows, columns = world()->columns;
    const struct laswp_part part = {
        .first = to == k ? k + rows : to, .stride = rows, .last = to == k};
    exchange_move_row(p, k, k + 1, from, to);
    exchange_complete(p);
    for (size_t n = first_column_here(k + 1); n < nt && is_row_here(to); n += columns)
        exchange_rows(p, k, n, part);
}

/* A(k:,k+1:) := P(k) A(k:,k+1:); the ranks on which row k lives are the last. */
static void exchange_right(struct problem *p, size_t k)
{
    size_t from = k;
    for (size_t to = k + 1; to < smaller(p->A->mt, k + world()->rows); from = to++)
        visit(p, k, from, to);
    visit(p, k, from, k);
}

static void exchange_left(struct problem *p)
{
    exchange_settle(p);
    for (size_t n = 0; n + 1 < p->A->nt; n++) {
        gather(p, n + 1, n);
        exchange_complete(p);
        if (is_here(n, n))
            exchange_behind(p, n);
        scatter(p, n + 1, n);
    }
}

static void create_tasks(struct problem *p, void (*factor)(struct problem *p, size_t k))
{
    size_t nt = p->A->nt, rows = world()->rows, columns = world()->columns;
    for (size_t k = 0; k < nt; k++) {
        factor(p, k);
        share_panel(p, k);
        exchange_complete(p);

        exchange_right(p, k);
        for (size_t n = first_column_here(k + 1); n < nt && is_row_here(k); n += columns)
            solve(p, k, n);
        for (size_t n = k + 1; n < nt; n++)
            exchange_share(p, k, n);
        exchange_complete(p);

        for (size_t n = first_column_here(k + 1); n < nt; n += columns)
            for (size_t m = first_row_here(k + 1); m < nt; m += rows)
                update(p, k, m, n);
    }
    exchange_left(p);
}

void lu_mpi_partial_tasks(struct problem *p)
{
    create_tasks(p, factor_together);
}

void lu_mpi_spread_tasks(struct problem *p)
{
    create_tasks(p, lu_mpi_panel_spread);
}
