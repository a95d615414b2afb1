/* SPDX-License-Identifier: BSD-3-Clause
 * The LU benchmark's description. */
#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "lu/panel_pieces.h"
#include "lu/variants.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "tile algorithm without OpenMP (one thread)",
     .digest_group = "lu",
     .sequential = true,
     .submit = lu_seq},
    {.name = "forkjoin",
     .summary = "tasks between taskwaits, no dependences",
     .digest_group = "lu",
     .submit = lu_forkjoin},
    {.name = "depend",
     .summary = "KASTORS: stand-in dependences, updates of a column serialised",
     .digest_group = "lu",
     .tasks_per_update = 1,
     .submit = lu_depend},
    {.name = "lean",
     .summary = "the graph of depend, with fewer dependence items",
     .digest_group = "lu",
     .tasks_per_update = 1,
     .submit = lu_lean},
    {.name = "late",
     .summary = "exchanges left of the panels in one pass at the end",
     .digest_group = "lu",
     .tasks_per_update = 1,
     .submit = lu_late},
    {.name = "spread",
     .summary = "late, panels factored column by column where their tiles are",
     .digest_group = "lu-spread",
     .tasks_per_update = 2, /* with the calls of its panels, three for each column */
     .submit = lu_spread},
    {.name = "ahead",
     .summary = "late, the leftmost columns carried ahead of the others",
     .digest_group = "lu",
     .tasks_per_update = 1,
     .submit = lu_ahead},
    {.name = "multidep",
     .summary = "panel and exchanges name every tile of the column",
     .needs = CAPABILITY_ITERATORS | CAPABILITY_MANY_ITEMS,
     .digest_group = "lu",
     .tasks_per_update = 1,
#ifdef POLLUX_HAVE_DEPEND_ITERATOR
     .submit = lu_multidep
#endif
    },
    {.name = "column",
     .summary = "PLASMA: one task per column update, nested tasks, parallel panel",
     .needs = CAPABILITY_NESTED_TASKS,
     .digest_group = "lu-column",
     .tasks_per_update = 1,
     .submit = lu_column_tasks},
    {.name = "nopiv",
     .summary = "four kernels without pivoting, for diagonally dominant matrices",
     .digest_group = "lu-nopiv",
     .input = INPUT_DOMINANT,
     .tasks_per_update = 1,
     .submit = lu_nopiv},
};

static const struct kernel *const kernels[] = {
    &about_getrf,       &about_laswp,        &about_laswp_from,       &about_trsm_left_unit,
    &about_gemm,        &about_getrf_nopiv,  &about_trsm_right_upper, &about_panel_load,
    &about_panel_getrf, &about_panel_trsm,   &about_panel_gemm,       &about_panel_swap,
    &about_panel_store, &about_panel_search, &about_panel_pivot,      &about_panel_column};

static bool may_run(const struct problem *p, void (*submit)(struct problem *p))
{
    return !p->variant || p->variant->submit == submit;
}

static int create(struct problem *p)
{
    if (lu_create(p) != 0)
        return -1;
    return may_run(p, lu_spread) ? lu_create_rows(p, 0) : 0;
}

static size_t factor_bytes(const struct problem *p)
{
    size_t rows = may_run(p, lu_spread) ? lu_rows_bytes(p, 0) : 0;
    return saturating_add(lu_factor_bytes(p), rows);
}

/* For exchanges in one pass. */
static size_t workspace_doubles(const struct problem *p)
{
    bool at_the_end = may_run(p, lu_late) || may_run(p, lu_spread) || may_run(p, lu_ahead);
    return at_the_end ? lu_workspace_doubles(p) : 0;
}

static void coordinates(const struct problem *p, size_t k, const void *object, size_t *row,
                        size_t *column)
{
    const struct lu_factors *f = p->factors;
    if (panel_rows_locate(&f->rows, object, column))
        *row = *column;
    else
        piece_coordinates(p, k, object, row, column);
}

const struct benchmark lu = {
    .name = "lu",
    .summary = "tiled LU factorization with partial pivoting",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .default_variant = "depend",
    .rectangular = true,
    .tall_tiles = true,
    .residual_name = "PA-LU",
    .failure = lu_failure,
    .kernel_sets = HAS_BLAS | HAS_TUNED,
    .kernels_missing = kernel_set_missing,
    .use_kernels = kernel_set_use,
    .flops = flops_getrf,
    .factor_bytes = factor_bytes,
    .workspace_doubles = workspace_doubles,
    .create = create,
    .destroy = lu_destroy,
    .multiply = lu_multiply,
    .digest = lu_digest,
    .coordinates = coordinates,
};
