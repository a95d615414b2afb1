/* SPDX-License-Identifier: BSD-3-Clause
 * One to four items in a task: random graphs, each task checked against the order of creation. */
#include "conformance/random_graph.h"

enum { TASKS = 200, ADDRESSES = 12, SHAPES = 4 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_INOUT}},
    {2, {ITEM_IN, ITEM_INOUT}},
    {3, {ITEM_IN, ITEM_IN, ITEM_INOUT}},
    {4, {ITEM_IN, ITEM_IN, ITEM_IN, ITEM_INOUT}},
};

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    int *a[4];
    int items = graph->task[task].items;
    for (int i = 0; i < items; i++)
        a[i] = planned_address(graph, task, i);
    switch (items) {
    case 1:
#pragma omp task firstprivate(trial, graph, task) depend(inout : a[0][0])
        run_planned(trial, graph, task);
        break;
    case 2:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0][0]) depend(inout : a[1][0])
        run_planned(trial, graph, task);
        break;
    case 3:
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : a[0][0], a[1][0]) \
    depend(inout : a[2][0])
        run_planned(trial, graph, task);
        break;
    default:
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : a[0][0], a[1][0], a[2][0]) \
    depend(inout : a[3][0])
        run_planned(trial, graph, task);
    }
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "depend-4",
                          .statement = "Each of up to four items of a task orders it.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
