/* SPDX-License-Identifier: BSD-3-Clause
 * Priorities never override dependences, and tasks with priorities all run, also where all threads
 * fetch the next of many short tasks at the same time. */
#include "conformance/ordered.h"

enum { TASKS = 60, BURSTS = 4, SHORT_TASKS = 500, ITEMS = 4 };
enum { PRIORITIES = 4, BUSY_MICROSECONDS = 5, PATIENCE_MILLISECONDS = 10 };

struct short_tasks {
    int item[ITEMS]; /* what the depend clauses name */
    int created, ended;
};

static void submit_graph(struct trial *trial, void *data)
{
    struct ordered *graph = data;
    for (int i = 0; i < TASKS; i++) {
        size_t task = ordered_next(trial, graph);
        int rank = (int)trial_random(trial, PRIORITIES);
        int *in = ordered_read(graph, task);
        int *out = ordered_written(graph, task);
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : in[0]) \
    depend(inout : out[0]) \
    priority(rank)
        ordered_run(trial, graph, task, BUSY_MICROSECONDS);
    }
#pragma omp taskwait
}

/* All become ready at once, when all are created. */
static void hold_back(struct trial *trial, struct short_tasks *tasks)
{
    if (trial->threads > 1)
        wait_until(&tasks->created, 1, PATIENCE_MILLISECONDS);
}

static void submit_short_tasks(struct trial *trial, void *data)
{
    struct short_tasks *tasks = data;
    int *items = tasks->item;
#pragma omp task firstprivate(trial, tasks) \
    depend(out : items[0], items[1], items[2], items[3])
    hold_back(trial, tasks);
    for (int i = 0; i < SHORT_TASKS; i++) {
        int *item = &items[i % ITEMS];
#pragma omp task firstprivate(tasks) \
    depend(in : item[0]) \
    priority(PRIORITIES)
        shared_add(&tasks->ended, 1);
    }
    shared_set(&tasks->created, 1);
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct ordered graph = {.tasks = 0};
    on_single(trial, submit_graph, &graph);
    ordered_check_complete(trial, &graph);
    for (int i = 0; i < BURSTS; i++) {
        struct short_tasks tasks = {.ended = 0};
        on_single(trial, submit_short_tasks, &tasks);
        if (tasks.ended != SHORT_TASKS)
            trial_broken(trial, "%d of %d tasks with a priority ran", tasks.ended, SHORT_TASKS);
    }
}

const struct rule rule = {.name = "priority-order",
                          .statement = "Priorities do not override the order of dependences, and "
                                       "every task with a priority is executed.",
                          .source = "OpenMP 5.2, 12.4 and 15.9.5",
                          .variable = "OMP_MAX_TASK_PRIORITY=64",
                          .effort = 4.0, /* a hang of libomp 15 and 16 is rare */
                          .attempt = attempt};
