/* SPDX-License-Identifier: BSD-3-Clause
 * An untied task that is suspended and resumed is not complete before its end. */
#include "conformance/ordered.h"

enum { TASKS = 80, BUSY_MICROSECONDS = 10 };

struct untied {
    struct ordered graph;
    int child_ended[TASKS];
};

static void run_child(struct trial *trial, struct untied *untied, size_t parent)
{
    keep_busy_randomly(trial, parent, BUSY_MICROSECONDS);
    shared_set(&untied->child_ended[parent], 1);
}

static void check_child(struct trial *trial, const struct untied *untied, size_t parent)
{
    if (!shared_get(&untied->child_ended[parent]))
        trial_broken(trial, "untied task %zu passed a taskwait before its child had ended", parent);
}

static void submit(struct trial *trial, void *data)
{
    struct untied *untied = data;
    struct ordered *graph = &untied->graph;
    for (int i = 0; i < TASKS; i++) {
        size_t task = ordered_next(trial, graph);
        int *in = ordered_read(graph, task);
        int *out = ordered_written(graph, task);
/* The points at which the task may be suspended are in the construct itself: some compilers
 * split an untied task there, and nowhere else. */
#pragma omp task firstprivate(trial, untied, graph, task) \
    untied \
    depend(in : in[0]) \
    depend(inout : out[0])
        {
            ordered_begin(trial, graph, task);
#pragma omp taskyield
#pragma omp task firstprivate(trial, untied, task)
            run_child(trial, untied, task);
#pragma omp taskwait
            check_child(trial, untied, task);
            ordered_end(graph, task);
        }
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct untied untied = {.child_ended = {0}};
    on_single(trial, submit, &untied);
    ordered_check_complete(trial, &untied.graph);
}

const struct rule rule = {.name = "untied",
                          .statement = "Untied tasks keep the order of dependences, also when they "
                                       "are suspended at a taskyield or a taskwait.",
                          .source = "OpenMP 5.2, 12.1",
                          .attempt = attempt};
