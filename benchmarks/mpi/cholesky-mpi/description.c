/* SPDX-License-Identifier: BSD-3-Clause
 * The description of cholesky-mpi. */
#include "benchmarks/mpi/cholesky-mpi/cholesky_mpi.h"
#include "benchmarks/mpi/methods.h"
#include "benchmarks/mpi/products.h"
#include "cholesky/cholesky.h"
#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"

/* A(k,k) is read by the solves of its column, A(m,k) by the updates of row m and column m. */
static void for_readers(const struct tile_matrix *A, size_t m, size_t k,
                        void (*add)(void *argument, size_t i, size_t j), void *argument)
{
    size_t rows = world()->rows, columns = world()->columns;
    for (size_t n = k + 1; m > k && n <= smaller(m, k + columns); n++)
        add(argument, m, n);
    size_t first = m == k ? m + 1 : m;
    for (size_t i = first; i < smaller(A->mt, first + rows); i++)
        add(argument, i, m);
}

/* Y := L (Lᵀ X) */
static void multiply(struct problem *p, struct tile X, struct tile Y)
{
    spread_multiply(p, LOWER, true, X, Y);
    tile_copy(Y, X);
    spread_multiply(p, LOWER, false, X, Y);
}

static const struct spreading spreading = {.lower = true,
                                           .for_readers = for_readers,
                                           .tasks = cholesky_mpi_tasks,
                                           .multiply = multiply,
                                           .graph_benchmark = "cholesky",
                                           .graph_variant = "depend"};

static int create(struct problem *p)
{
    return spread_create(p, &spreading);
}

static size_t factor_bytes(const struct problem *p)
{
    return spread_bytes(p, &spreading, 0);
}

static bool verify(struct problem *p, enum check check, struct verification *result)
{
    return spread_verify(p, check, "A-LLT", result);
}

static const struct variant variants[] = {MPI_VARIANTS("cholesky", INPUT_SPD)};

/* As many as all ranks have: the updates of each pair of a row and a column. */
static double tasks(const struct problem *p, const struct variant *variant)
{
    double nt = (double)ceiling(p->n, smaller(p->nb, p->n));
    (void)variant;
    return nt * (nt + 1) * (nt + 2) / 6;
}

static const struct kernel *const kernels[] = {&about_potrf, &about_trsm_right_lower, &about_syrk,
                                               &about_gemm_transposed};

const struct benchmark cholesky_mpi = {
    .name = "cholesky-mpi",
    .summary = "tiled Cholesky factorization over ranks of MPI",
    .variants = variants,
    .variant_count = MPI_VARIANT_COUNT,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .default_variant = "funneled",
    .failure = "the leading minor of order %lld is not positive: the matrix is not positive "
               "definite, or not finite",
    .processes = &mpi_processes,
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .flops = flops_potrf,
    .tasks = tasks,
    .factor_bytes = factor_bytes,
    .verify_bytes = spread_verify_bytes,
    .create = create,
    .destroy = spread_destroy,
    .generate = spread_generate,
    .verify = verify,
    .digest = spread_digest,
};
