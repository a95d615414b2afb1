/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks that may be merged with their creator do the same work in the same order. */
#include "conformance/ordered.h"

enum { TASKS = 120, BUSY_MICROSECONDS = 10 };

static void submit(struct trial *trial, void *data)
{
    struct ordered *graph = data;
    int undeferred = 0;
    for (int i = 0; i < TASKS; i++) {
        size_t task = ordered_next(trial, graph);
        int *in = ordered_read(graph, task);
        int *out = ordered_written(graph, task);
#pragma omp task firstprivate(trial, graph, task) \
    mergeable \
    depend(in : in[0]) \
    depend(inout : out[0])
        ordered_run(trial, graph, task, BUSY_MICROSECONDS);
#pragma omp task shared(undeferred) mergeable if (0)
        undeferred++;
        if (undeferred != i + 1)
            trial_broken(trial, "%d of %d mergeable undeferred tasks had an effect", undeferred,
                         i + 1);
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct ordered graph = {.tasks = 0};
    on_single(trial, submit, &graph);
    ordered_check_complete(trial, &graph);
}

const struct rule rule = {.name = "mergeable",
                          .statement = "Mergeable tasks keep the order of dependences, and work on "
                                       "the same shared variables whether they are merged or not.",
                          .source = "OpenMP 5.2, 12.2",
                          .attempt = attempt};
