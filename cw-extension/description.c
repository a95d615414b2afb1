/* SPDX-License-Identifier: BSD-3-Clause
 * The LU-CW benchmark's description. */
#include "cw-extension/concurrent_write.h"
#include "cw-extension/lu_cw.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "lu/lu.h"

static const struct variant variants[] = {
    {.name = "cw",
     .summary = "stand-in dependences by concurrent write, updates of a column concurrent",
     .digest_group = "lu",
     .tasks_per_update = 1,
     .needs = CONCURRENT_WRITE_NEEDS,
     .concurrent_write = &concurrent_write,
     .submit = lu_cw_submit},
    {.name = "lean",
     .summary = "the graph of cw, with fewer dependence items",
     .digest_group = "lu",
     .tasks_per_update = 1,
     .needs = CONCURRENT_WRITE_NEEDS,
     .concurrent_write = &concurrent_write,
     .submit = lu_cw_lean},
    {.name = "readers",
     .summary = "the graph of cw, updates as readers of the stand-in: depend(in)",
     .digest_group = "lu",
     .tasks_per_update = 1,
     .concurrent_write = &concurrent_readers,
     .submit = lu_cw_readers},
};

static const struct kernel *const kernels[] = {&about_getrf, &about_laswp, &about_trsm_left_unit,
                                               &about_gemm};

const struct benchmark lu_cw = {
    .name = "lu-cw",
    .algorithm = "lu",
    .summary = "tiled LU factorization with partial pivoting and concurrent writes",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .default_variant = "cw",
    .rectangular = true,
    .tall_tiles = true,
    .residual_name = "PA-LU",
    .failure = lu_failure,
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .flops = flops_getrf,
    .factor_bytes = lu_factor_bytes,
    .create = lu_create,
    .destroy = lu_destroy,
    .multiply = lu_multiply,
    .digest = lu_digest,
};
