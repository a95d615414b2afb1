/* SPDX-License-Identifier: BSD-3-Clause
 * The description of the benchmark over a tree of cells. */
#include "benchmarks/cell-tree/cells.h"
#include "benchmarks/cell-tree/kernels.h"
#include "kernels/kernels.h"

static const struct variant variants[] = {
    {.name = "seq",
     .summary = "level after level without OpenMP (one thread)",
     .digest_group = "cell-tree",
     .input = INPUT_OWN,
     .sequential = true,
     .submit = cells_seq},
    {.name = "flat",
     .summary = "a parallel loop over the cells of each level",
     .digest_group = "cell-tree",
     .input = INPUT_OWN,
     .own_team = true,
     .needs = CAPABILITY_REGIONS,
#ifdef POLLUX_HAVE_PARALLEL
     .submit = cells_flat
#endif
    },
    {.name = "nested",
     .summary = "the loops of flat, a parallel loop inside each cell",
     .digest_group = "cell-tree",
     .input = INPUT_OWN,
     .own_team = true,
     .nested = true,
     .needs = CAPABILITY_REGIONS | CAPABILITY_NESTED_REGIONS,
#ifdef POLLUX_HAVE_PARALLEL
     .submit = cells_nested
#endif
    },
    {.name = "depend",
     .summary = "a task for each cell, which waits for its children",
     .digest_group = "cell-tree",
     .input = INPUT_OWN,
     .tasks_per_update = 1,
     .needs = CAPABILITY_ITERATORS | CAPABILITY_MANY_ITEMS,
#ifdef POLLUX_HAVE_DEPEND_ITERATOR
     .submit = cells_depend
#endif
    },
    {.name = "depend-nested",
     .summary = "the graph of depend, a parallel loop inside each task",
     .digest_group = "cell-tree",
     .input = INPUT_OWN,
     .nested = true,
     .tasks_per_update = 1,
     .needs = CAPABILITY_ITERATORS | CAPABILITY_MANY_ITEMS | CAPABILITY_NESTED_REGIONS,
#if defined(POLLUX_HAVE_DEPEND_ITERATOR) && defined(POLLUX_HAVE_PARALLEL)
     .submit = cells_depend_nested
#endif
    },
    {.name = "taskloop",
     .summary = "a taskloop over the slices of all cells of a level",
     .digest_group = "cell-tree",
     .input = INPUT_OWN,
     .needs = CAPABILITY_TASKLOOP,
#ifdef POLLUX_HAVE_TASKLOOP
     .submit = cells_taskloop
#endif
    },
};

static const struct parameter parameters[] = {
    [CELLS_DEPTH] = {.name = "depth",
                     .metavar = "D",
                     .summary = "levels below the roots",
                     .least = 0,
                     .most = TREE_DEPTH_MAX,
                     .standard = 3},
    [CELLS_BRANCHING] = {.name = "branching",
                         .metavar = "C",
                         .summary = "children of a cell",
                         .least = 1,
                         .most = BRANCHING_MAX,
                         .standard = 8},
    [CELLS_ROOTS] = {.name = "roots",
                     .metavar = "R",
                     .summary = "cells of the first level",
                     .least = 1,
                     .most = 1000000,
                     .standard = 1},
    [CELLS_INNER] = {.name = "inner",
                     .metavar = "T",
                     .summary = "threads inside each cell of nested variants",
                     .least = 1,
                     .most = INNER_THREADS_MAX,
                     .standard = 2,
                     .inner_team = true},
};

static const struct kernel *const kernels[] = {&about_leaf, &about_parent};

const struct benchmark cell_tree = {
    .name = "cell-tree",
    .summary = "upward pass over a tree of cells, a dense matrix times a vector in each",
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof *kernels,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .default_variant = "nested",
    .standard_size = 256,
    .kernel_sets = HAS_BLAS,
    .operations = cells_operations,
    .tasks = cells_tasks,
    .factor_bytes = cells_bytes,
    .verify_bytes = cells_verify_bytes,
    .create = cells_create,
    .destroy = cells_destroy,
    .generate = cells_generate,
    .verify = cells_verify,
    .figures = cells_figures,
    .digest = cells_digest,
    .coordinates = cells_coordinates,
};
