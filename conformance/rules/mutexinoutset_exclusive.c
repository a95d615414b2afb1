/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks of a mutexinoutset exclude each other: many that share few addresses, each of which sees
 * whether it is alone. */
#include "conformance/random_graph.h"

enum { TASKS = 120, ADDRESSES = 5, SHAPES = 4 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_MUTEXINOUTSET}},
    {2, {ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET}},
    {3, {ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET}},
    {4, {ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET}},
};

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    if (graph->task[task].items == 1) {
#pragma omp task firstprivate(trial, graph, task) depend(mutexinoutset : a[0])
        run_planned(trial, graph, task);
        return;
    }
    int *b = planned_address(graph, task, 1);
    if (graph->task[task].items == 2) {
#pragma omp task firstprivate(trial, graph, task) depend(mutexinoutset : a[0], b[0])
        run_planned(trial, graph, task);
        return;
    }
    int *c = planned_address(graph, task, 2);
    if (graph->task[task].items == 3) {
#pragma omp task firstprivate(trial, graph, task) depend(mutexinoutset : a[0], b[0], c[0])
        run_planned(trial, graph, task);
        return;
    }
    int *d = planned_address(graph, task, 3);
#pragma omp task firstprivate(trial, graph, task) depend(mutexinoutset : a[0], b[0], c[0], d[0])
    run_planned(trial, graph, task);
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "mutexinoutset-exclusive",
                          .statement = "Of the tasks of a mutexinoutset, one runs at a time.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
