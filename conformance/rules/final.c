/* SPDX-License-Identifier: BSD-3-Clause
 * The descendants of a final task are included: executed at once, by the thread that creates them. */
#include <omp.h>

#include "conformance/ordered.h"

enum { TASKS = 80, GENERATIONS = 3, BUSY_MICROSECONDS = 10 };

static void descend(struct trial *trial, int generation)
{
    int ended = 0;
    int *mark = &ended;
    int thread = omp_get_thread_num();
    if (generation == 0)
        return;
    if (!omp_in_final())
        trial_broken(trial, "omp_in_final() is false in a descendant of a final task");
#pragma omp task firstprivate(trial, generation, mark, thread)
    {
        if (omp_get_thread_num() != thread)
            trial_broken(trial, "a descendant of a final task ran on another thread");
        descend(trial, generation - 1);
        shared_set(mark, 1);
    }
    if (!shared_get(mark))
        trial_broken(trial, "a final task went on before its child had ended");
/* Where the rule is broken, the task still uses this variable. */
#pragma omp taskwait
}

static void submit(struct trial *trial, void *data)
{
    struct ordered *graph = data;
    for (int i = 0; i < TASKS; i++) {
        size_t task = ordered_next(trial, graph);
        int is_final = (int)trial_random(trial, 2);
        int *in = ordered_read(graph, task);
        int *out = ordered_written(graph, task);
#pragma omp task firstprivate(trial, graph, task, is_final) \
    depend(in : in[0]) \
    depend(inout : out[0]) \
    final(is_final)
        {
            ordered_begin(trial, graph, task);
            if (is_final)
                descend(trial, GENERATIONS);
            else if (omp_in_final())
                trial_broken(trial, "omp_in_final() is true in a task with final(0)");
            keep_busy_randomly(trial, task, BUSY_MICROSECONDS);
            ordered_end(graph, task);
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

const struct rule rule = {.name = "final",
                          .statement = "All descendants of a final task are executed at once by "
                                       "the thread that creates them; final tasks keep the order "
                                       "of dependences.",
                          .source = "OpenMP 5.2, 12.3",
                          .attempt = attempt};
