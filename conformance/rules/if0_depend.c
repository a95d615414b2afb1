/* SPDX-License-Identifier: BSD-3-Clause
 * An undeferred task keeps the order of dependences, towards earlier and later siblings. */
#include "conformance/ordered.h"

enum { TASKS = 120, BUSY_MICROSECONDS = 20 };

static void submit(struct trial *trial, void *data)
{
    struct ordered *graph = data;
    for (int i = 0; i < TASKS; i++) {
        size_t task = ordered_next(trial, graph);
        int *in = ordered_read(graph, task);
        int *out = ordered_written(graph, task);
        if (trial_random(trial, 4) == 0) {
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : in[0]) \
    depend(inout : out[0]) \
    if (0)
            ordered_run(trial, graph, task, BUSY_MICROSECONDS);
            if (!ordered_writers_ended(graph, graph->task[task].writes))
                trial_broken(trial, "the creator of an undeferred task went on before its end");
        } else {
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : in[0]) \
    depend(inout : out[0])
            ordered_run(trial, graph, task, BUSY_MICROSECONDS);
        }
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct ordered graph = {.tasks = 0};
    on_single(trial, submit, &graph);
    ordered_check_complete(trial, &graph);
}

const struct rule rule = {.name = "if0-depend",
                          .statement = "An undeferred task, if(0), with dependences begins after "
                                       "its predecessors and ends before its successors begin.",
                          .source = "OpenMP 5.2, 3.4, 12.5 and 15.9.5",
                          .attempt = attempt};
