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

/* Reflectors are applied to all columns right of theirs; R is read by nobody. */
static void for_readers(const struct tile_matrix *A, size_t i, size_t j,
                        void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    for (size_t n = j + 1; i >= j && n < smaller(A->nt, j + 1 + world()->columns); n++)
        add(argument, i, n);
}

/* The steps go from rank to rank, and with them all of C. */
static void apply(struct problem *p, enum transpose op, struct tile C)
{
    size_t steps = tile_steps(p->A);
    for (size_t i = 0; i < steps; i++) {
        size_t k = op == TRANSPOSE ? i : steps - 1 - i;
        if (is_here(k, k))
            qr_apply_flat_step(p, op, k, C);
        for (size_t j = 0; j < C.cols; j++)
            MPI_Bcast(C.a + j * C.ld, (int)C.rows, MPI_DOUBLE, world_owner(k, k), MPI_COMM_WORLD);
    }
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
                                           .tasks = qr_mpi_tasks,
                                           .multiply = multiply,
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
    if (world()->rows > 1)
        world_refuse(POLLUX_USAGE,
                     "qr-mpi needs a grid of one row, since its tree goes down a column: give "
                     "--grid 1x%d",
                     world()->ranks);
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
    .kernel_sets = HAS_OPENBLAS | HAS_TUNED,
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
