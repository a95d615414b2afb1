/* SPDX-License-Identifier: BSD-3-Clause
 * omp_all_memory orders a task after all earlier siblings with items, and before all later ones:
 * random graphs in which it stands for every address. */
#include "conformance/random_graph.h"

enum { TASKS = 200, ADDRESSES = 4, SHAPES = 8 };

static const struct shape shapes[SHAPES] = {
    {ADDRESSES, {ITEM_INOUT, ITEM_INOUT, ITEM_INOUT, ITEM_INOUT}},
    {1, {ITEM_IN}},
    {1, {ITEM_IN}},
    {1, {ITEM_INOUT}},
    {1, {ITEM_INOUT}},
    {2, {ITEM_IN, ITEM_INOUT}},
    {2, {ITEM_IN, ITEM_INOUT}},
    {2, {ITEM_INOUT, ITEM_INOUT}},
};

static void submit_all(struct trial *trial, struct graph *graph, int task)
{
    if (task % 2 == 0) {
#pragma omp task firstprivate(trial, graph, task) depend(inout : omp_all_memory)
        run_planned(trial, graph, task);
    } else {
#pragma omp task firstprivate(trial, graph, task) depend(out : omp_all_memory)
        run_planned(trial, graph, task);
    }
}

static void submit_one(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    if (graph->task[task].item[0].kind == ITEM_IN) {
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0])
        run_planned(trial, graph, task);
    } else {
#pragma omp task firstprivate(trial, graph, task) depend(inout : a[0])
        run_planned(trial, graph, task);
    }
}

static void submit_two(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    int *b = planned_address(graph, task, 1);
    if (graph->task[task].item[0].kind == ITEM_IN) {
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0]) depend(inout : b[0])
        run_planned(trial, graph, task);
    } else {
#pragma omp task firstprivate(trial, graph, task) depend(inout : a[0], b[0])
        run_planned(trial, graph, task);
    }
}

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    if (graph->task[task].shape == 0)
        submit_all(trial, graph, task);
    else if (graph->task[task].items == 1)
        submit_one(trial, graph, task);
    else
        submit_two(trial, graph, task);
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "all-memory",
                          .statement = "A task with omp_all_memory comes after all earlier "
                                       "siblings that have items, and before all later ones.",
                          .source = "OpenMP 5.2, 3.2.2 and 15.9.5",
                          .attempt = attempt};
