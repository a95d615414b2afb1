/* SPDX-License-Identifier: BSD-3-Clause
 * The QR benchmark's description. */
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "qr/qr.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "tile algorithm without OpenMP (one thread), flat tree",
     .digest_group = "qr",
     .sequential = true,
     .submit = qr_seq},
    {.name = "forkjoin",
     .summary = "flat tree, tasks between taskwaits, no dependences",
     .digest_group = "qr",
     .submit = qr_forkjoin},
    {.name = "depend",
     .summary = "flat tree of TS kernels, dependences on tiles",
     .digest_group = "qr",
     .tasks_per_update = 1,
     .submit = qr_depend},
    {.name = "lean",
     .summary = "the graph of depend, with fewer dependence items",
     .digest_group = "qr",
     .tasks_per_update = 1,
     .submit = qr_lean},
    {.name = "tree",
     .summary = "binary tree of TT kernels, dependences on tiles",
     .digest_group = "qr-tree",
     .tasks_per_update = 2,
     .submit = qr_tree},
};

static const struct kernel *const kernels[] = {&about_geqrt, &about_unmqr, &about_tsqrt,
                                               &about_tsmqr, &about_ttqrt, &about_ttmqr};

const struct benchmark qr = {
    .name = "qr",
    .algorithm = "qr",
    .summary = "tiled QR factorization by Householder reflectors",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .default_variant = "depend",
    .rectangular = true,
    .inner_block = true,
    .tall_tiles = true,
    .residual_name = "A-QR",
    .orthogonality_name = "I-QTQ",
    .failure = "the diagonal of R is not finite in column %lld: the matrix contains a NaN or an "
               "infinity there or before",
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .flops = flops_geqrf,
    .factor_bytes = qr_factor_bytes,
    .workspace_doubles = qr_workspace_doubles,
    .create = qr_create,
    .destroy = qr_destroy,
    .multiply = qr_multiply,
    .round_trip = qr_round_trip,
    .digest = qr_digest,
};
