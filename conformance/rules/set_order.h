/* SPDX-License-Identifier: BSD-3-Clause
 * A set, which CLAUSE and KIND name, is ordered against all other kinds of items: random graphs, each task checked
 * against the order of creation. */
#ifndef POLLUX_CONFORMANCE_RULES_SET_ORDER_H
#define POLLUX_CONFORMANCE_RULES_SET_ORDER_H

#include "conformance/random_graph.h"

enum { TASKS = 200, ADDRESSES = 5, SHAPES = 7 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_IN}},
    {1, {ITEM_INOUT}},
    {1, {KIND}},
    {1, {KIND}},
    {2, {KIND, KIND}},
    {2, {ITEM_IN, KIND}},
    {3, {ITEM_IN, KIND, ITEM_INOUT}},
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
#pragma omp task firstprivate(trial, graph, task) depend(CLAUSE : a[0])
        run_planned(trial, graph, task);
    }
}

static void submit_more(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    int *b = planned_address(graph, task, 1);
    if (graph->task[task].items == 3) {
        int *c = planned_address(graph, task, 2);
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0]) depend(CLAUSE : b[0]) \
    depend(inout : c[0])
        run_planned(trial, graph, task);
    } else if (graph->task[task].item[0].kind == ITEM_IN) {
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0]) depend(CLAUSE : b[0])
        run_planned(trial, graph, task);
    } else {
#pragma omp task firstprivate(trial, graph, task) depend(CLAUSE : a[0], b[0])
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

#endif
