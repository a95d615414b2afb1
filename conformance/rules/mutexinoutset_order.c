/* SPDX-License-Identifier: BSD-3-Clause
 * A mutexinoutset is ordered against all other kinds of items: random graphs, each task checked
 * against the order of creation. */
#include "conformance/random_graph.h"

enum { TASKS = 200, ADDRESSES = 5, SHAPES = 7 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_IN}},
    {1, {ITEM_INOUT}},
    {1, {ITEM_MUTEXINOUTSET}},
    {1, {ITEM_MUTEXINOUTSET}},
    {2, {ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET}},
    {2, {ITEM_IN, ITEM_MUTEXINOUTSET}},
    {3, {ITEM_IN, ITEM_MUTEXINOUTSET, ITEM_INOUT}},
};

static void submit_one(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    switch (graph->task[task].shape) {
    case 0:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0])
        run_planned(trial, graph, task);
        break;
    case 1:
#pragma omp task firstprivate(trial, graph, task) depend(inout : a[0])
        run_planned(trial, graph, task);
        break;
    default:
#pragma omp task firstprivate(trial, graph, task) depend(mutexinoutset : a[0])
        run_planned(trial, graph, task);
    }
}

static void submit_more(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    int *b = planned_address(graph, task, 1);
    if (graph->task[task].items == 3) {
        int *c = planned_address(graph, task, 2);
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : a[0]) \
    depend(mutexinoutset : b[0]) \
    depend(inout : c[0])
        run_planned(trial, graph, task);
    } else if (graph->task[task].item[0].kind == ITEM_IN) {
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0]) depend(mutexinoutset : b[0])
        run_planned(trial, graph, task);
    } else {
#pragma omp task firstprivate(trial, graph, task) depend(mutexinoutset : a[0], b[0])
        run_planned(trial, graph, task);
    }
}

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    if (graph->task[task].items == 1)
        submit_one(trial, graph, task);
    else
        submit_more(trial, graph, task);
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "mutexinoutset-order",
                          .statement = "Tasks of a mutexinoutset come after the earlier siblings, "
                                       "and before the later ones, that name the address "
                                       "otherwise.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
