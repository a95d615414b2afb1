/* SPDX-License-Identifier: BSD-3-Clause
 * The hint where a task's data are does not change the order. */
#include "conformance/ordered.h"

enum { TASKS = 200, BUSY_MICROSECONDS = 8 };

static void submit(struct trial *trial, void *data)
{
    struct ordered *graph = data;
    for (int i = 0; i < TASKS; i++) {
        size_t task = ordered_next(trial, graph);
        int *in = ordered_read(graph, task);
        int *out = ordered_written(graph, task);
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : in[0]) \
    depend(inout : out[0]) \
    affinity(in[0], out[0])
        ordered_run(trial, graph, task, BUSY_MICROSECONDS);
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct ordered graph = {.tasks = 0};
    on_single(trial, submit, &graph);
    ordered_check_complete(trial, &graph);
}

const struct rule rule = {.name = "affinity",
                          .statement = "Tasks with an affinity clause run, and keep the order of "
                                       "dependences.",
                          .source = "OpenMP 5.2, 12.5.1",
                          .attempt = attempt};
