/* SPDX-License-Identifier: BSD-3-Clause
 * The Cholesky benchmark's description. */
#include "cholesky/cholesky.h"
#include "cholesky/slices.h"

#include "common/matrix/digest.h"
#include "common/matrix/factor_product.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "tile algorithm without OpenMP (one thread)",
     .digest_group = "cholesky",
     .input = INPUT_SPD,
     .sequential = true,
     .submit = cholesky_seq},
    {.name = "forkjoin",
     .summary = "tasks between taskwaits, no dependences",
     .digest_group = "cholesky",
     .input = INPUT_SPD,
     .submit = cholesky_forkjoin},
    {.name = "depend",
     .summary = "right-looking, dependences on tiles",
     .digest_group = "cholesky",
     .input = INPUT_SPD,
     .tasks_per_update = 1,
     .submit = cholesky_depend},
    {.name = "left",
     .summary = "left-looking, dependences on tiles",
     .digest_group = "cholesky",
     .input = INPUT_SPD,
     .tasks_per_update = 1,
     .submit = cholesky_left},
    {.name = "nested",
     .summary = "the graph of depend, a parallel region inside each task",
     .digest_group = "cholesky-nested",
     .input = INPUT_SPD,
     .nested = true,
     .tasks_per_update = 1,
     .needs = CAPABILITY_NESTED_REGIONS,
#ifdef POLLUX_HAVE_PARALLEL
     .submit = cholesky_nested
#endif
    },
};

static const struct parameter parameters[] = {
    [CHOLESKY_INNER_THREADS] = {.name = "inner-threads",
                                .metavar = "T",
                                .summary = "threads inside each task of nested",
                                .least = 1,
                                .most = INNER_THREADS_MAX,
                                .standard = 2,
                                .inner_team = true},
};

/* Y := L (Lᵀ X) */
static void multiply(struct problem *p, struct tile X, struct tile Y)
{
    tile_copy(X, Y);
    multiply_lower_transposed(p->A, Y);
    multiply_lower(p->A, Y);
}

static uint64_t digest(const struct problem *p)
{
    return digest_matrix(p->A, DIGEST_LOWER, p->threads);
}

static const struct kernel *const kernels[] = {&about_potrf, &about_trsm_right_lower, &about_syrk,
                                               &about_gemm_transposed};

const struct benchmark cholesky = {
    .name = "cholesky",
    .summary = "tiled Cholesky factorization of a symmetric positive definite matrix",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .default_variant = "depend",
    .symmetric = true,
    .tall_tiles = true,
    .residual_name = "A-LLT",
    .failure = "the leading minor of order %lld is not positive: the matrix is not positive "
               "definite, or not finite",
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .flops = flops_potrf,
    .multiply = multiply,
    .digest = digest,
};
