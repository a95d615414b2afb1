/* SPDX-License-Identifier: BSD-3-Clause
 * The description of lu-mpi. */
#include "benchmarks/mpi/lu-mpi/lu_mpi.h"
#include "benchmarks/mpi/methods.h"
#include "benchmarks/mpi/products.h"
#include "benchmarks/mpi/tree.h"
#include "common/base/sizes.h"
#include "common/matrix/digest.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "lu/lu.h"

enum { PIVOTING }; /* the parameter's place in the table */
enum pivoting { PARTIAL, SPREAD, NONE };

int *lu_mpi_pivots(const struct problem *p, size_t k)
{
    const struct lu_factors *f = p->factors;
    return f->pivots + k * p->A->nb;
}

/* A failed panel has pivots that are no rows, and other ranks do not know yet that it has failed. */
void lu_mpi_getrf(struct problem *p, size_t k)
{
    size_t first = k * p->A->nb;
    lu_getrf(p, k);
    for (size_t i = 0; atomic_load(&p->execution->failure) != 0 && i < tile_cols(p->A, k); i++)
        lu_mpi_pivots(p, k)[i] = (int)(first + i + 1);
}

/* What a message brought may not be what was sent, and rows that do not exist would be exchanged. */
static void check_pivots(const struct problem *p, size_t k)
{
    const int *pivots = lu_mpi_pivots(p, k);
    for (size_t i = 0; i < tile_cols(p->A, k); i++)
        if (pivots[i] <= (int)(k * p->A->nb + i) || (size_t)pivots[i] > p->n)
            world_fail(POLLUX_MACHINE, "row %zu has the pivot %d: a message was damaged",
                       k * p->A->nb + i + 1, pivots[i]);
}

/* A winner of a factorization that has failed is none, and other ranks fail where they see it. */
void lu_mpi_panel_pivot(struct problem *p, struct spread_panel panel, size_t column)
{
    kernel_panel_pivot(p->execution, panel, column);
    if (execution_failed(p->execution))
        panel_void_winner(panel, column);
}

void lu_mpi_panel_column(struct problem *p, struct spread_panel panel, size_t column)
{
    size_t row = panel.k * p->A->nb + column, winner = panel_winner_row(panel, column);
    if (winner < row || winner >= p->n)
        world_fail(POLLUX_MACHINE, "row %zu has the pivot %zu: a message was damaged", row + 1,
                   winner + 1);
    kernel_panel_column(p->execution, panel, column, lu_mpi_pivots(p, 0));
    if (execution_failed(p->execution) && is_here(panel.k, panel.k))
        lu_mpi_pivots(p, 0)[row] = (int)row + 1;
}

void lu_mpi_laswp_behind(struct problem *p, size_t n)
{
    for (size_t k = n + 1; k < p->A->nt; k++)
        check_pivots(p, k);
    lu_laswp_behind(p, n);
}

void lu_mpi_laswp(struct problem *p, size_t k, size_t n, struct laswp_part part)
{
    check_pivots(p, k);
    if (world()->rows == 1)
        lu_laswp(p, k, n);
    else
        lu_laswp_part(p, k, n, part);
}

static void add_readers_in_row(const struct tile_matrix *A, size_t i, size_t j,
                               void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    for (size_t n = j + 1; n < smaller(A->nt, j + 1 + world()->columns); n++)
        add(argument, i, n);
}

static void add_readers_in_column(const struct tile_matrix *A, size_t i, size_t j,
                                  void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    for (size_t m = i + 1; m < smaller(A->mt, i + 1 + world()->rows); m++)
        add(argument, m, j);
}

/* A tile of L is read in its row, a tile of U in its column, and the one on the diagonal in both. */
static void for_readers(const struct tile_matrix *A, size_t i, size_t j,
                        void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    if (i >= j)
        add_readers_in_row(A, i, j, add, argument);
    if (i <= j)
        add_readers_in_column(A, i, j, add, argument);
}

/* With pivoting, the one on the diagonal in its row alone. */
static void for_readers_partial(const struct tile_matrix *A, size_t i, size_t j,
                                void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    if (i >= j)
        add_readers_in_row(A, i, j, add, argument);
    else
        add_readers_in_column(A, i, j, add, argument);
}

/* A tile of L goes to the rank of the diagonal twice, and home; a tile of U visits the ranks of its column, and comes
 * back. */
static void for_moves_partial(const struct problem *p, const struct tile_matrix *A, size_t i,
                              size_t j, void (*add)(void *argument, size_t i, size_t j),
                              void *argument)
{
    (void)p;
    if (world()->rows == 1 || i == j)
        return;
    for (size_t times = 0; i > j && times < 2; times++) {
        add(argument, j, j);
        add(argument, i, j);
    }
    if (i < j) {
        add_readers_in_column(A, i, j, add, argument);
        add(argument, i, j);
    }
}

/* Panels are factored where they live: a tile of L goes to the rank of the diagonal for the exchanges left of the panels
 * alone. */
static void for_moves_spread(const struct problem *p, const struct tile_matrix *A, size_t i,
                             size_t j, void (*add)(void *argument, size_t i, size_t j),
                             void *argument)
{
    if (i <= j) {
        for_moves_partial(p, A, i, j, add, argument);
    } else if (world()->rows > 1) {
        add(argument, j, j);
        add(argument, i, j);
    }
}

static size_t messages_of_pivots(const struct tile_matrix *A)
{
    return saturating_multiply(A->nt, TREE_CHILDREN_MAX);
}

static size_t messages_of_spread(const struct tile_matrix *A)
{
    return saturating_add(messages_of_pivots(A), lu_mpi_panel_messages(A));
}

/* Y := Pᵀ L (U X) */
static void multiply(struct problem *p, struct tile X, struct tile Y)
{
    for (size_t k = 0; k < p->A->nt; k++)
        check_pivots(p, k);
    spread_multiply(p, UPPER, false, X, Y);
    tile_copy(Y, X);
    spread_multiply(p, UNIT_LOWER, false, X, Y);
    lu_exchange_back(p, Y);
}

static const struct spreading without = {.for_readers = for_readers,
                                         .tasks = lu_mpi_nopiv_tasks,
                                         .multiply = multiply,
                                         .graph_benchmark = "lu",
                                         .graph_variant = "nopiv"};
static const struct spreading with_partial = {.panels_together = true,
                                              .last_kind = KIND_STEP,
                                              .for_readers = for_readers_partial,
                                              .for_moves = for_moves_partial,
                                              .tasks = lu_mpi_partial_tasks,
                                              .further = messages_of_pivots,
                                              .multiply = multiply,
                                              .graph_benchmark = "lu",
                                              .graph_variant = "late"};

static const struct spreading with_spread = {.last_kind = KIND_WINNER,
                                             .for_readers = for_readers_partial,
                                             .for_moves = for_moves_spread,
                                             .tasks = lu_mpi_spread_tasks,
                                             .further = messages_of_spread,
                                             .multiply = multiply,
                                             .graph_benchmark = "lu",
                                             .graph_variant = "spread"};

static const struct spreading *spreading_of(const struct problem *p)
{
    static const struct spreading *const all[] = {
        [PARTIAL] = &with_partial, [SPREAD] = &with_spread, [NONE] = &without};
    return all[p->parameters[PIVOTING]];
}

/* Candidates that a rank receives at a time */
static size_t others(void)
{
    return world()->rows - 1;
}

static bool is_spread(const struct problem *p)
{
    return p->parameters[PIVOTING] == SPREAD;
}

static int create(struct problem *p)
{
    if (spread_create(p, spreading_of(p)) != 0 || lu_create(p) != 0 ||
        (is_spread(p) && lu_create_rows(p, others()) != 0))
        return -1;
    lu_no_exchanges(p); /* what pivoting does not replace */
    return 0;
}

static void destroy(struct problem *p)
{
    lu_destroy(p);
    spread_destroy(p);
}

static size_t factor_bytes(const struct problem *p)
{
    size_t rows = is_spread(p) ? lu_rows_bytes(p, others()) : 0;
    size_t own =
        saturating_multiply(saturating_add(lu_factor_bytes(p), rows), (size_t)world()->here);
    return saturating_add(spread_bytes(p, spreading_of(p), 0), own);
}

static size_t workspace_doubles(const struct problem *p)
{
    return p->parameters[PIVOTING] == NONE ? 0 : lu_workspace_doubles(p);
}

static bool verify(struct problem *p, enum check check, struct verification *result)
{
    return spread_verify(p, check, "PA-LU", result);
}

static uint64_t digest(const struct problem *p)
{
    const struct lu_factors *f = p->factors;
    return digest_integers(spread_digest(p), f->pivots, p->n);
}

/* Of a call on a panel: the first of its rows that live here, and the column. */
static void coordinates(const struct problem *p, size_t k, const void *object, size_t *row,
                        size_t *column)
{
    const struct lu_factors *f = p->factors;
    size_t first = (first_row_here(k) - k) * p->A->nb;
    if (panel_rows_locate(&f->rows, object, column))
        *row = larger(first, *column);
}

static const struct variant variants[] = {MPI_VARIANTS("lu", INPUT_UNIFORM)};
static const struct variant variants_spread[] = {MPI_VARIANTS("lu-spread", INPUT_UNIFORM)};
static const struct variant variants_without[] = {MPI_VARIANTS("lu-nopiv", INPUT_DOMINANT)};

static const struct variant *variant_for(size_t index, const size_t *parameters)
{
    static const struct variant *const all[] = {
        [PARTIAL] = variants, [SPREAD] = variants_spread, [NONE] = variants_without};
    return &all[parameters[PIVOTING]][index];
}

static const char *const words[] = {
    [PARTIAL] = "partial", [SPREAD] = "spread", [NONE] = "none", NULL};
static const struct parameter parameters[] = {
    [PIVOTING] = {.name = "pivoting",
                  .summary = "partial, its panels on one rank each or spread over ranks, or none, "
                             "for dominant matrices",
                  .words = words,
                  .standard = PARTIAL},
};

/* As many as all ranks have: an update of each tile in each step, an exchange of each column. */
static double tasks(const struct problem *p, const struct variant *variant)
{
    double nt = (double)ceiling(p->n, smaller(p->nb, p->n));
    (void)variant;
    double panels = is_spread(p) ? 3 * (double)p->n * (double)world()->rows : 0;
    return nt * (nt + 1) * (2 * nt + 1) / 6 + (nt + 1) * (nt + 1) + panels;
}

static const struct kernel *const kernels[] = {
    &about_getrf,       &about_laswp,        &about_laswp_from,       &about_trsm_left_unit,
    &about_gemm,        &about_getrf_nopiv,  &about_trsm_right_upper, &about_panel_search,
    &about_panel_pivot, &about_panel_column,
};

const struct benchmark lu_mpi = {
    .name = "lu-mpi",
    .summary = "tiled LU factorization over ranks of MPI",
    .variants = variants,
    .variant_count = MPI_VARIANT_COUNT,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .default_variant = "funneled",
    .failure = lu_failure,
    .processes = &mpi_processes,
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .flops = flops_getrf,
    .tasks = tasks,
    .factor_bytes = factor_bytes,
    .verify_bytes = spread_verify_bytes,
    .workspace_doubles = workspace_doubles,
    .create = create,
    .destroy = destroy,
    .generate = spread_generate,
    .variant_for = variant_for,
    .verify = verify,
    .digest = digest,
    .coordinates = coordinates,
};
