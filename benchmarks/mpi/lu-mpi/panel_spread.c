/* SPDX-License-Identifier: BSD-3-Clause
 * A panel that is factored by all ranks on which its tiles live. For each of its columns the rank of the diagonal receives
 * a candidate from each of the others, and shares the winner with them.
 *
 * The tasks of a rank form a chain, which names the rows that it keeps, `top`; the first and the last name its tiles. */
#include "benchmarks/mpi/exchange.h"
#include "benchmarks/mpi/lu-mpi/lu_mpi.h"
#include "benchmarks/mpi/tree.h"
#include "common/base/sizes.h"
#include "lu/lu.h"

static struct panel_rows *rows_of(const struct problem *p)
{
    struct lu_factors *f = p->factors;
    return &f->rows;
}

static size_t ranks_of(const struct tile_matrix *A, size_t k)
{
    return smaller(world()->rows, A->mt - k);
}

/* What lives here. */
static struct spread_panel panel_here(const struct problem *p, size_t k)
{
    return (struct spread_panel){.A = p->A,
                                 .k = k,
                                 .first = first_row_here(k),
                                 .stride = world()->rows,
                                 .others = is_here(k, k) ? ranks_of(p->A, k) - 1 : 0,
                                 .rows = rows_of(p)};
}

static size_t tiles_here(struct spread_panel panel)
{
    return ceiling(panel.A->mt - panel.first, panel.stride);
}

/* The candidate of the first column */
static void search(struct problem *p, struct spread_panel panel)
{
    double *const *Ak = tile_column(p->A, panel.k);
    double *candidate = panel_candidate(panel.rows, 0), *top = panel.rows->top.a;
    size_t first = panel.first, stride = panel.stride, count = tiles_here(panel);
#pragma omp task firstprivate(p, panel) \
    depend(iterator(size_t i = 0 : count), inout : Ak[first + i * stride][0]) \
    depend(inout : top[0]) depend(out : candidate[0]) \
    priority(PRIORITY_PANEL) /* the whole step, on all ranks, waits for it */
    kernel_panel_search(p->execution, panel, 0);
}

/* The winner of a column */
static void pivot(struct problem *p, struct spread_panel panel, size_t column)
{
    double *candidate = panel_candidate(panel.rows, column);
    double *winner = panel_winner(panel.rows, column);
    double *received = panel_received(panel.rows, 0);
    size_t others = panel.others, each = panel_candidate_doubles(panel.rows->columns);
#pragma omp task firstprivate(p, panel, column) \
    depend(iterator(size_t o = 0 : others), in : received[o * each]) depend(in : candidate[0]) \
    depend(out : winner[0]) \
    priority(PRIORITY_PANEL) /* the whole step, on all ranks, waits for it */
    lu_mpi_panel_pivot(p, panel, column);
}

/* A column, what is right of it, and the candidate of the next */
static void column_and_next(struct problem *p, struct spread_panel panel, size_t column)
{
    double *candidate = panel_candidate(panel.rows, column + 1);
    double *winner = panel_winner(panel.rows, column), *top = panel.rows->top.a;
#pragma omp task firstprivate(p, panel, column) depend(in : winner[0]) depend(inout : top[0]) \
    depend(out : candidate[0]) \
    priority(PRIORITY_PANEL) /* the whole step, on all ranks, waits for it */
    {
        lu_mpi_panel_column(p, panel, column);
        kernel_panel_search(p->execution, panel, column + 1);
    }
}

/* The last column, after which the tiles are final */
static void last_column(struct problem *p, struct spread_panel panel, size_t column)
{
    double *const *Ak = tile_column(p->A, panel.k);
    double *winner = panel_winner(panel.rows, column), *top = panel.rows->top.a;
    int *Pk = lu_mpi_pivots(p, panel.k);
    size_t first = panel.first, stride = panel.stride, count = tiles_here(panel);
#pragma omp task firstprivate(p, panel, column) \
    depend(iterator(size_t i = 0 : count), inout : Ak[first + i * stride][0]) \
    depend(in : winner[0]) depend(inout : top[0]) depend(out : Pk[0]) \
    priority(PRIORITY_PANEL) /* the whole step, on all ranks, waits for it */
    lu_mpi_panel_column(p, panel, column);
}

/* Of other ranks' candidates each has a place of its own on the rank of the diagonal. */
static void collect_candidates(struct problem *p, size_t k, size_t column)
{
    const struct panel_rows *rows = rows_of(p);
    struct message message = {.count = (int)panel_candidate_doubles(rows->columns),
                              .type = MPI_DOUBLE};
    for (size_t other = 1; other < ranks_of(p->A, k); other++) {
        message.buffer =
            is_here(k, k) ? panel_received(rows, other - 1) : panel_candidate(rows, column);
        exchange_hand(p, message, KIND_CANDIDATE, k * p->A->nb + column, world_owner(k + other, k),
                      world_owner(k, k));
    }
}

static void share_winner(struct problem *p, size_t k, size_t column)
{
    const struct panel_rows *rows = rows_of(p);
    const struct message message = {.buffer = panel_winner(rows, column),
                                    .count = (int)panel_winner_doubles(rows->columns),
                                    .type = MPI_DOUBLE};
    exchange_share_in_panel(p, message, KIND_WINNER, k, column);
}

void lu_mpi_panel_spread(struct problem *p, size_t k)
{
    struct spread_panel panel = panel_here(p, k);
    size_t last = panel_pivot_count(p->A, k) - 1;
    if (panel.first >= p->A->mt || !is_column_here(k))
        return;
    exchange_settle(p);
    search(p, panel);
    for (size_t column = 0; column <= last; column++) {
        collect_candidates(p, k, column);
        exchange_complete(p);
        if (is_here(k, k))
            pivot(p, panel, column);
        share_winner(p, k, column);
        exchange_complete(p);
        if (column < last)
            column_and_next(p, panel, column);
        else
            last_column(p, panel, column);
    }
}

/* Of one column of panel k */
static size_t messages_of(const struct tile_matrix *A, size_t k)
{
    size_t ranks = ranks_of(A, k), distance = first_row_here(k) - k;
    if (distance >= ranks)
        return 0;
    size_t candidates = distance == 0 ? ranks - 1 : 1;
    return candidates + tree_messages(ranks, distance);
}

size_t lu_mpi_panel_messages(const struct tile_matrix *A)
{
    size_t count = 0;
    for (size_t k = first_column_here(0); k < A->nt; k += world()->columns)
        count += tile_cols(A, k) * messages_of(A, k);
    return count;
}
