/* SPDX-License-Identifier: BSD-3-Clause
 * The description of the sparse LU benchmark. */
#include "benchmarks/sparselu/sparselu.h"
#include "kernels/kernels.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "block algorithm without OpenMP (one thread)",
     .digest_group = "sparselu",
     .input = INPUT_OWN,
     .sequential = true,
     .submit = sparselu_seq},
    {.name = "forkjoin",
     .summary = "tasks between taskwaits, no dependences",
     .digest_group = "sparselu",
     .input = INPUT_OWN,
     .submit = sparselu_forkjoin},
    {.name = "depend",
     .summary = "dependences on the blocks that exist or fill in",
     .digest_group = "sparselu",
     .input = INPUT_OWN,
     .tasks_per_update = 1,
     .submit = sparselu_depend},
};

static const struct parameter parameters[] = {
    {.name = "pattern",
     .summary = "which blocks exist; a file of --matrix takes its place",
     .words = pattern_names,
     .of_random_input = true,
     .standard = PATTERN_KASTORS},
};

static const struct kernel *const kernels[] = {&about_getrf_nopiv, &about_trsm_left_unit,
                                               &about_trsm_right_upper, &about_gemm,
                                               &about_gemm_fill};

const struct benchmark sparselu = {
    .name = "sparselu",
    .summary = "LU of a sparse matrix of dense blocks, without pivoting",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .default_variant = "depend",
    .pattern_files = true,
    .failure = "the pivot of column %lld is zero or not finite",
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .require = sparselu_require,
    .operations = sparselu_operations,
    .tasks = sparselu_tasks,
    .factor_bytes = sparselu_bytes,
    .verify_bytes = sparselu_verify_bytes,
    .create = sparselu_create,
    .destroy = sparselu_destroy,
    .generate = sparselu_generate,
    .verify = sparselu_verify,
    .figures = sparselu_figures,
    .digest = sparselu_digest,
    .coordinates = sparselu_coordinates,
};
