/* SPDX-License-Identifier: BSD-3-Clause
 * The description of qr-mpi. */
#include <mpi.h>
#include <stdlib.h>

#include "benchmarks/mpi/methods.h"
#include "benchmarks/mpi/products.h"
#include "benchmarks/mpi/qr-mpi/qr_mpi.h"
#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "qr/qr.h"

/* Reflectors are applied to all columns right of theirs. */
static void for_readers(const struct tile_matrix *A, size_t i, size_t j,
                        void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    for (size_t n = j + 1; i >= j && n < smaller(A->nt, j + 1 + world()->columns); n++)
        add(argument, i, n);
}

/* Tiles of row i visit all rows below, and come back: nobody reads R, but its tiles are written there. */
static void for_moves(const struct tile_matrix *A, size_t i, size_t j,
                      void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    if (world()->rows == 1 || i > j)
        return;
    for (size_t m = i + 1; m < A->mt; m++)
        add(argument, m, j);
    add(argument, i, j);
}

/* Rows of C that belong to a row of tiles. */
static struct tile rows_of(const struct problem *p, size_t i, struct tile C)
{
    return tile_part(C, i * p->A->mb, tile_rows(p->A, i));
}

/* They go from the rank of one tile to that of another. */
static void pass(struct tile rows, int from, int to)
{
    int rank = world()->rank;
    for (size_t j = 0; from != to && j < rows.cols; j++) {
        double *column = rows.a + j * rows.ld;
        if (rank == from)
            MPI_Send(column, (int)rows.rows, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        if (rank == to)
            MPI_Recv(column, (int)rows.rows, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

/* The reflectors of a step, each on the rank on which it lives; the rows of C that they all write go from one to the next.
 * Then every rank gets all rows. */
static void apply_step(struct problem *p, enum transpose op, size_t k, struct tile C)
{
    size_t mt = p->A->mt, before = op == TRANSPOSE ? k : mt - 1;
    for (size_t i = 0; i < mt - k; i++) {
        size_t m = op == TRANSPOSE ? k + i : mt - 1 - i;
        pass(rows_of(p, k, C), world_owner(before, k), world_owner(m, k));
        if (is_here(m, k))
            qr_apply_flat_reflectors(p, op, k, m, C);
        before = m;
    }
    for (size_t i = 0; i < mt; i++)
        if (!is_here(i == k ? before : i, k))
            clear_tile(rows_of(p, i, C));
    spread_sum(C);
}

static void apply(struct problem *p, enum transpose op, struct tile C)
{
    size_t steps = tile_steps(p->A);
    for (size_t i = 0; i < steps; i++)
        apply_step(p, op, op == TRANSPOSE ? i : steps - 1 - i, C);
}

/* Y := Q (R X) */
static void multiply(struct problem *p, struct tile X, struct tile Y)
{
    spread_multiply(p, UPPER, false, X, Y);
    apply(p, NO_TRANSPOSE, Y);
}

static void round_trip(struct problem *p, struct tile X)
{
    apply(p, NO_TRANSPOSE, X);
    apply(p, TRANSPOSE, X);
}

static const struct spreading spreading = {.for_readers = for_readers,
                                           .for_moves = for_moves,
                                           .tasks = qr_mpi_tasks,
                                           .multiply = multiply,
                                           .graph_benchmark = "qr",
                                           .graph_variant = "depend",
                                           .round_trip = round_trip};

/* T has a tile for each of A, of ib rows. */
static int create_factors(struct problem *p)
{
    struct qr_factors *f = calloc(1, sizeof *f);
    p->factors = f;
    if (!f ||
        spread_add_companion(p, p->A->mt * p->ib, qr_all_T_columns(p), p->ib, qr_T_columns(p)) != 0)
        return -1;
    f->T = p->spread->companion;
    return 0;
}

static int create(struct problem *p)
{
    return spread_create(p, &spreading) == 0 ? create_factors(p) : -1;
}

static void destroy(struct problem *p)
{
    free(p->factors);
    p->factors = NULL;
    spread_destroy(p);
}

static size_t factor_bytes(const struct problem *p)
{
    size_t T = saturating_multiply(tile_leading_dimension(p->ib), qr_T_columns(p));
    return spread_bytes(p, &spreading, T);
}

static bool verify(struct problem *p, enum check check, struct verification *result)
{
    return spread_verify(p, check, "A-QR", result);
}

static const struct variant variants[] = {MPI_VARIANTS("qr", INPUT_UNIFORM)};

/* As many as all ranks have: an update of each tile in each step. */
static double tasks(const struct problem *p, const struct variant *variant)
{
    double nt = (double)ceiling(p->n, smaller(p->nb, p->n));
    (void)variant;
    return nt * (nt + 1) * (2 * nt + 1) / 6;
}

static const struct kernel *const kernels[] = {&about_geqrt, &about_unmqr, &about_tsqrt,
                                               &about_tsmqr};

const struct benchmark qr_mpi = {
    .name = "qr-mpi",
    .algorithm = "qr-mpi",
    .summary = "tiled QR factorization over ranks of MPI",
    .variants = variants,
    .variant_count = MPI_VARIANT_COUNT,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .default_variant = "funneled",
    .inner_block = true,
    .failure = "the diagonal of R is not finite in column %lld: the matrix contains a NaN or an "
               "infinity there or before",
    .processes = &mpi_processes,
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .flops = flops_geqrf,
    .tasks = tasks,
    .factor_bytes = factor_bytes,
    .workspace_doubles = qr_workspace_doubles,
    .create = create,
    .destroy = destroy,
    .generate = spread_generate,
    .verify = verify,
    .digest = spread_digest,
};
