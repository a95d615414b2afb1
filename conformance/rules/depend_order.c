/* SPDX-License-Identifier: BSD-3-Clause
 * in, out and inout order tasks: random graphs, each task checked against the order of creation. */
#include "conformance/random_graph.h"

enum { TASKS = 200, ADDRESSES = 7, SHAPES = 8 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_IN}},
    {1, {ITEM_INOUT}},
    {2, {ITEM_IN, ITEM_INOUT}},
    {2, {ITEM_IN, ITEM_INOUT}},
    {2, {ITEM_IN, ITEM_IN}},
    {2, {ITEM_INOUT, ITEM_INOUT}},
    {3, {ITEM_IN, ITEM_IN, ITEM_INOUT}},
    {4, {ITEM_IN, ITEM_IN, ITEM_INOUT, ITEM_INOUT}},
};

static void submit_one(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0])
    run_planned(trial, graph, task);
}

static void submit_one_writer(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
#pragma omp task firstprivate(trial, graph, task) depend(out : a[0])
    run_planned(trial, graph, task);
}

static void submit_two(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    int *b = planned_address(graph, task, 1);
    switch (graph->task[task].shape) {
    case 2:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0]) depend(inout : b[0])
        run_planned(trial, graph, task);
        break;
    case 3:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0]) depend(out : b[0])
        run_planned(trial, graph, task);
        break;
    case 4:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0], b[0])
        run_planned(trial, graph, task);
        break;
    default:
#pragma omp task firstprivate(trial, graph, task) depend(out : a[0]) depend(inout : b[0])
        run_planned(trial, graph, task);
    }
}

static void submit_more(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    int *b = planned_address(graph, task, 1);
    int *c = planned_address(graph, task, 2);
    if (graph->task[task].items == 3) {
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0], b[0]) depend(inout : c[0])
        run_planned(trial, graph, task);
    } else {
        int *d = planned_address(graph, task, 3);
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0], b[0]) depend(inout : c[0], d[0])
        run_planned(trial, graph, task);
    }
}

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    if (graph->task[task].shape == 0)
        submit_one(trial, graph, task);
    else if (graph->task[task].items == 1)
        submit_one_writer(trial, graph, task);
    else if (graph->task[task].items == 2)
        submit_two(trial, graph, task);
    else
        submit_more(trial, graph, task);
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "depend-order",
                          .statement = "in, out and inout items order a task after the earlier "
                                       "siblings that write, or read and write, the same address.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
