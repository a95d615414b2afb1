/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks that may run in any order, between tasks that may not: readers of one address between two writers. */
#include "micro/patterns/patterns.h"

/* The first task writes, and so does the last; those in between read. */
static void define_readers(const struct shape *shape, struct graph *graph)
{
    size_t last = shape->tasks - 1;
    for (size_t i = 0; i < shape->tasks; i++) {
        graph_add_task(graph);
        if (i > 0)
            graph_add_predecessor(graph, 0);
        for (size_t reader = 1; i == last && reader < last; reader++)
            graph_add_predecessor(graph, reader);
    }
}

static void create_readers(struct run *run)
{
    size_t last = run->shape->tasks - 1;
    char *a = run_address(run, 0);
#pragma omp task firstprivate(run) depend(out : a[0])
    run_task(run, 0);
    for (size_t i = 1; i < last; i++) {
#pragma omp task firstprivate(run, i) depend(in : a[0])
        run_task(run, i);
    }
    if (last > 0) {
#pragma omp task firstprivate(run, last) depend(inout : a[0])
        run_task(run, last);
    }
}

const struct pattern readers = {.name = "readers",
                                .summary = "readers of one address between two writers",
                                .addresses = one_address,
                                .roots = first_address,
                                .define = define_readers,
                                .create = create_readers};
