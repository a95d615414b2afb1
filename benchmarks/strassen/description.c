/* SPDX-License-Identifier: BSD-3-Clause
 * The description of the Strassen benchmark. */
#include "benchmarks/strassen/strassen.h"
#include "common/matrix/digest.h"
#include "kernels/kernels.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "the recursion without OpenMP (one thread)",
     .digest_group = "strassen",
     .sequential = true,
     .submit = strassen_seq},
    {.name = "task",
     .summary = "nested tasks, a taskwait after each phase of a level",
     .needs = CAPABILITY_NESTED_TASKS,
     .digest_group = "strassen",
     .submit = strassen_task},
    {.name = "depend",
     .summary = "KASTORS: nested tasks, dependences between those of a level",
     .needs = CAPABILITY_NESTED_TASKS | CAPABILITY_NESTED_DEPENDENCES,
     .digest_group = "strassen",
     .tasks_per_update = 1,
     .submit = strassen_depend},
    {.name = "flat",
     .summary = "the whole recursion as one graph, dependences on blocks",
     .digest_group = "strassen",
     .tasks_per_update = 1,
     .submit = strassen_flat},
};

static const struct parameter parameters[] = {
    [PARAMETER_FORM] = {.name = "form",
                        .summary = "of the recursion: 15 additions a level, or the original 18",
                        .words = form_names,
                        .standard = FORM_WINOGRAD},
    [PARAMETER_DEPTH] = {.name = "depth",
                         .metavar = "D",
                         .summary = "levels of the recursion at most",
                         .most = DEPTH_MAX,
                         .standard = DEPTH_MAX},
    [PARAMETER_CUTOFF] = {.name = "cutoff",
                          .metavar = "ORDER",
                          .summary = "order up to which a tile is not halved within its task",
                          .least = 1,
                          .most = 1 << 20,
                          .standard = 1024},
};

static double operations(const struct problem *p)
{
    double n = (double)p->n;
    return 2.0 * n * n * n;
}

static size_t figures(const struct problem *p, double seconds, struct figure *figures)
{
    const struct recursion *r = &strassen_of(p)->recursion;
    double done = recursion_operations(r);
    figures[0] = (struct figure){"levels", (double)r->levels};
    figures[1] = (struct figure){"leaf_order", (double)r->leaf};
    figures[2] = (struct figure){"effective_operations", done};
    figures[3] = (struct figure){"effective_gflops", done / seconds * 1e-9};
    return 4;
}

static uint64_t digest(const struct problem *p)
{
    return digest_matrix(strassen_of(p)->C, DIGEST_ALL, p->threads);
}

const struct benchmark strassen = {
    .name = "strassen",
    .summary = "product of two matrices by Strassen's recursion",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = form_kernels,
    .kernel_count = FORM_KERNELS,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .default_variant = "depend",
    .kernel_sets = HAS_BLAS,
    .operations = operations,
    .tasks = strassen_tasks,
    .factor_bytes = strassen_bytes,
    .verify_bytes = strassen_verify_bytes,
    .workspace_doubles = strassen_workspace_doubles,
    .create = strassen_create,
    .destroy = strassen_destroy,
    .generate = strassen_generate,
    .verify = strassen_verify,
    .figures = figures,
    .digest = digest,
    .coordinates = strassen_coordinates,
};
