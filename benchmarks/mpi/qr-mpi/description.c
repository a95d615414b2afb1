/* SPDX-License-Identifier: BSD-3-Clause
 * The description of qr-mpi. */
#include <mpi.h>
#include <stdlib.h>

#include "benchmarks/mpi/methods.h"
#include "benchmarks/mpi/products.h"
#include "benchmarks/mpi/qr-mpi/qr_mpi.h"
#include "common/base/number_list.h"
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

/* As many as there are rows, where each is one. */
static size_t domains(const struct problem *p, const struct tile_matrix *A)
{
    size_t wanted = p->parameters[QR_DOMAINS];
    return wanted == 0 ? A->mt : smaller(wanted, A->mt);
}

/* A tile that travels in its column. */
struct traveller {
    size_t j, at; /* at: a row that lives where the tile is */
    void (*add)(void *argument, size_t i, size_t j);
    void *argument;
};

static void travel(struct traveller *t, size_t to)
{
    if (world_owner(t->at, t->j) != world_owner(to, t->j))
        t->add(t->argument, to, t->j);
    t->at = to;
}

/* A head's tile visits the rows of its domain, then the heads that it meets, and comes back. */
static void travel_in_step(struct traveller *t, const struct tile_matrix *A, size_t k, size_t h,
                           size_t heads)
{
    for (size_t m = h + heads; m < A->mt; m += heads)
        travel(t, m);
    for (size_t d = 1; (h - k) % (2 * d) == 0 && h - k + d < heads; d *= 2)
        travel(t, h + d);
    travel(t, h);
}

/* In the steps in which row i is a head. */
static void for_moves(const struct problem *p, const struct tile_matrix *A, size_t i, size_t j,
                      void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    struct traveller t = {j, i, add, argument};
    size_t most = domains(p, A);
    for (size_t k = i < most ? 0 : i + 1 - most; world()->rows > 1 && k <= smaller(i, j); k++)
        travel_in_step(&t, A, k, i, smaller(most, A->mt - k));
}

/* Rows of C that belong to a row of tiles. */
static struct tile rows_of(const struct problem *p, size_t i, struct tile C)
{
    return tile_part(C, i * p->A->mb, tile_rows(p->A, i));
}

/* They go from one rank to another. */
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

/* A step whose Q is applied to C: the reflectors each on the rank on which they live, to which the rows of C come that
 * they write. */
struct application {
    struct problem *p;
    enum transpose op;
    size_t k;
    struct tile C;
    int *rank; /* that has written each row of tiles of C last; NOBODY: all have it */
};

enum { NOBODY = -1 };

static void bring(const struct application *a, size_t i, int rank)
{
    if (a->rank[i] != NOBODY)
        pass(rows_of(a->p, i, a->C), a->rank[i], rank);
    a->rank[i] = rank;
}

static void apply_part(void *argument, size_t t, size_t m)
{
    struct application *a = argument;
    int rank = world_owner(m, a->k);
    bring(a, t, rank);
    bring(a, m, rank);
    if (world()->rank == rank)
        qr_apply_reflectors(a->p, a->op, a->k, t, m, a->C);
}

/* Then every rank gets all rows. */
static void apply_step(struct application *a)
{
    struct problem *p = a->p;
    for (size_t i = 0; i < p->A->mt; i++)
        a->rank[i] = NOBODY;
    qr_for_reflectors(p, a->op, a->k, apply_part, a);
    for (size_t i = 0; i < p->A->mt; i++)
        if (world()->rank != (a->rank[i] == NOBODY ? 0 : a->rank[i]))
            tile_clear(rows_of(p, i, a->C));
    spread_sum(a->C);
}

static void apply(struct problem *p, enum transpose op, struct tile C)
{
    size_t steps = tile_steps(p->A);
    int *rank = malloc(p->A->mt * sizeof *rank);
    if (!rank)
        world_fail(POLLUX_MACHINE, "no memory");
    for (size_t i = 0; i < steps; i++) {
        struct application a = {p, op, op == TRANSPOSE ? i : steps - 1 - i, C, rank};
        apply_step(&a);
    }
    free(rank);
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

static bool is_flat(const struct problem *p)
{
    return p->parameters[QR_DOMAINS] == 1;
}

static json_t *tree_parameters(const struct problem *p)
{
    return json_pack("{s:I}", "domains", (json_int_t)p->parameters[QR_DOMAINS]);
}

static const struct spreading flat = {.last_kind = KIND_FIRST_COMPANION,
                                      .for_readers = for_readers,
                                      .for_moves = for_moves,
                                      .tasks = qr_mpi_tasks,
                                      .multiply = multiply,
                                      .graph_benchmark = "qr",
                                      .graph_variant = "depend",
                                      .companions = 1,
                                      .round_trip = round_trip};
/* The tile of a head is shared again when it has been reduced. While a step goes on all heads travel, each in a buffer of
 * a step of its own. */
static const struct spreading tree = {.last_kind = KIND_SECOND_COMPANION,
                                      .shared_again = 1,
                                      .for_readers = for_readers,
                                      .for_moves = for_moves,
                                      .least_ahead = domains,
                                      .tasks = qr_mpi_tasks,
                                      .multiply = multiply,
                                      .graph_benchmark = "qr",
                                      .graph_variant = "tree",
                                      .graph_parameters = tree_parameters,
                                      .companions = 2,
                                      .round_trip = round_trip};

static const struct spreading *spreading_of(const struct problem *p)
{
    return is_flat(p) ? &flat : &tree;
}

/* T and S have a tile for each of A, of ib rows. */
static int create_factors(struct problem *p)
{
    struct qr_factors *f = calloc(1, sizeof *f);
    size_t rows = p->A->mt * p->ib;
    p->factors = f;
    if (!f ||
        spread_add_companion(p, QR_MPI_T, rows, qr_all_T_columns(p), p->ib, qr_T_columns(p)) != 0)
        return -1;
    f->T = p->spread->companions[QR_MPI_T];
    if (!is_flat(p) && spread_add_companion(p, QR_MPI_S, rows, p->n, p->ib, p->A->nb) != 0)
        return -1;
    f->S = p->spread->companions[QR_MPI_S];
    return 0;
}

static int create(struct problem *p)
{
    return spread_create(p, spreading_of(p)) == 0 ? create_factors(p) : -1;
}

static void destroy(struct problem *p)
{
    free(p->factors);
    p->factors = NULL;
    spread_destroy(p);
}

static size_t factor_bytes(const struct problem *p)
{
    size_t ld = tile_leading_dimension(p->ib);
    size_t T = saturating_multiply(ld, qr_T_columns(p));
    size_t S = is_flat(p) ? 0 : saturating_multiply(ld, smaller(p->nb, p->n));
    return spread_bytes(p, spreading_of(p), saturating_add(T, S));
}

static bool verify(struct problem *p, enum check check, struct verification *result)
{
    return spread_verify(p, check, "A-QR", result);
}

static const struct variant variants[] = {MPI_VARIANTS("qr", INPUT_UNIFORM)};
static const struct variant variants_of_trees[] = {MPI_VARIANTS("qr-tree", INPUT_UNIFORM)};

static const struct variant *variant_for(size_t index, const size_t *parameters)
{
    return parameters[QR_DOMAINS] == 1 ? &variants[index] : &variants_of_trees[index];
}

static const struct parameter parameters[] = {[QR_DOMAINS] = {.name = "domains",
                                                              .metavar = "D",
                                                              .summary = qr_domains_summary,
                                                              .most = NUMBER_MAX,
                                                              .standard = 1}};

/* As many as all ranks have: an update of each tile in each step, and another of a head. */
static double tasks(const struct problem *p, const struct variant *variant)
{
    double nt = (double)ceiling(p->n, smaller(p->nb, p->n));
    (void)variant;
    return nt * (nt + 1) * (2 * nt + 1) / 6 * (is_flat(p) ? 1 : 2);
}

static const struct kernel *const kernels[] = {&about_geqrt, &about_unmqr, &about_tsqrt,
                                               &about_tsmqr, &about_ttqrt, &about_ttmqr};

const struct benchmark qr_mpi = {
    .name = "qr-mpi",
    .summary = "tiled QR factorization over ranks of MPI",
    .variants = variants,
    .variant_count = MPI_VARIANT_COUNT,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
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
    .verify_bytes = spread_verify_bytes,
    .workspace_doubles = qr_workspace_doubles,
    .create = create,
    .destroy = destroy,
    .generate = spread_generate,
    .variant_for = variant_for,
    .verify = verify,
    .digest = spread_digest,
};
