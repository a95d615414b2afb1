/* SPDX-License-Identifier: BSD-3-Clause
 * The Jacobi benchmark's description. */
#include "benchmarks/jacobi/jacobi.h"

#include "benchmarks/jacobi/grid.h"
#include "common/matrix/digest.h"
#include "kernels/five_point.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "sweeps over the tiles without OpenMP (one thread)",
     .digest_group = "jacobi",
     .input = INPUT_OWN,
     .sequential = true,
     .submit = jacobi_seq},
    {.name = "forkjoin",
     .summary = "tasks between taskwaits, no dependences",
     .digest_group = "jacobi",
     .input = INPUT_OWN,
     .submit = jacobi_forkjoin},
    {.name = "depend",
     .summary = "a tile waits for itself and its four neighbours of the sweep before",
     .digest_group = "jacobi",
     .input = INPUT_OWN,
     .tasks_per_update = 1,
     .needs = CAPABILITY_MANY_ITEMS,
     .submit = jacobi_depend},
    {.name = "lean",
     .summary = "the graph of depend, with fewer dependence items",
     .digest_group = "jacobi",
     .input = INPUT_OWN,
     .tasks_per_update = 1,
     .submit = jacobi_lean},
    {.name = "affinity",
     .summary = "the graph of depend, each task with an affinity to its tile",
     .digest_group = "jacobi",
     .input = INPUT_OWN,
     .tasks_per_update = 1,
     .needs = CAPABILITY_MANY_ITEMS | CAPABILITY_AFFINITY,
#ifdef POLLUX_HAVE_AFFINITY
     .submit = jacobi_affinity
#endif
    },
    {.name = "taskloop",
     .summary = "each sweep is a taskloop over the tiles",
     .digest_group = "jacobi",
     .input = INPUT_OWN,
     .needs = CAPABILITY_TASKLOOP,
#ifdef POLLUX_HAVE_TASKLOOP
     .submit = jacobi_taskloop
#endif
    },
    {.name = "wavefront",
     .summary = "tiles in time: a task does several sweeps of a tile in cache",
     .digest_group = "jacobi",
     .input = INPUT_OWN,
     .tasks_per_update = 1,
     .submit = jacobi_wavefront},
};

static const struct parameter parameters[] = {
    [JACOBI_SWEEPS] = {.name = "sweeps",
                       .metavar = "S",
                       .summary = "sweeps over the grid",
                       .least = 1,
                       .most = 1000000,
                       .standard = 4},
    [JACOBI_TIME_TILE] = {.name = "time-tile",
                          .metavar = "T",
                          .summary = "sweeps of a tile in time of wavefront, at most NB and S",
                          .least = 1,
                          .most = 1000000,
                          .standard = 4,
                          .variant = "wavefront"},
};

static uint64_t digest(const struct problem *p)
{
    return digest_matrix(grid_buffer(p, jacobi_sweeps(p)), DIGEST_ALL, p->threads);
}

static const struct kernel *const kernels[] = {&about_sweep};

const struct benchmark jacobi = {
    .name = "jacobi",
    .summary = "Jacobi sweeps for Poisson's equation by five-point differences",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .default_variant = "depend",
    .kernel_sets = HAS_LOOPS,
    .operations = jacobi_operations,
    .tasks = jacobi_tasks,
    .factor_bytes = jacobi_bytes,
    .verify_bytes = jacobi_verify_bytes,
    .create = jacobi_create,
    .destroy = jacobi_destroy,
    .generate = jacobi_generate,
    .verify = jacobi_verify,
    .figures = jacobi_figures,
    .digest = digest,
    .coordinates = jacobi_coordinates,
};
