/* SPDX-License-Identifier: BSD-3-Clause
 * The QR benchmark's description. */
#include "common/base/number_list.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "qr/qr.h"

#define TREE(group) \
    .name = "tree", .summary = "binary tree of TT kernels, dependences on tiles", \
    .digest_group = (group), .tasks_per_update = 2, .submit = qr_tree

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
    {TREE("qr-tree")},
};

static const struct parameter parameters[] = {
    [QR_DOMAINS] = {.name = "domains",
                    .metavar = "D",
                    .summary = qr_domains_summary,
                    .most = NUMBER_MAX,
                    .variant = "tree"},
};

/* One domain is the flat tree. */
static const struct variant *variant_for(size_t index, const size_t *values)
{
    static const struct variant tree_of_one = {TREE("qr")};
    return variants[index].submit == qr_tree && values[QR_DOMAINS] == 1 ? &tree_of_one
                                                                        : &variants[index];
}

static const struct kernel *const kernels[] = {&about_geqrt, &about_unmqr, &about_tsqrt,
                                               &about_tsmqr, &about_ttqrt, &about_ttmqr};

const struct benchmark qr = {
    .name = "qr",
    .summary = "tiled QR factorization by Householder reflectors",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
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
    .variant_for = variant_for,
    .workspace_doubles = qr_workspace_doubles,
    .create = qr_create,
    .destroy = qr_destroy,
    .multiply = qr_multiply,
    .round_trip = qr_round_trip,
    .digest = qr_digest,
};
