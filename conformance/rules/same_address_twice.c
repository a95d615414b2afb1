/* SPDX-License-Identifier: BSD-3-Clause
 * A task that names one address twice is ordered by the stronger of the two items, and does not
 * wait for itself: random graphs, each task checked against the order of creation. */
#include "conformance/random_graph.h"

enum { TASKS = 200, ADDRESSES = 4, SHAPES = 6 };

/* What the two items on the first address amount to, and a second address. */
static const struct shape shapes[SHAPES] = {
    {1, {ITEM_IN}},             /* in, in */
    {1, {ITEM_INOUT}},          /* in, inout */
    {1, {ITEM_INOUT}},          /* inout, in: two pointers */
    {1, {ITEM_INOUT}},          /* out, inout: one clause each */
    {2, {ITEM_INOUT, ITEM_IN}}, /* inout, inout: one clause */
    {2, {ITEM_IN, ITEM_INOUT}}, /* in, in around another */
};

static void submit_one(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    int *b = planned_address(graph, task, 0);
    switch (graph->task[task].shape) {
    case 0:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0], a[0])
        run_planned(trial, graph, task);
        break;
    case 1:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0]) depend(inout : a[0])
        run_planned(trial, graph, task);
        break;
    case 2:
#pragma omp task firstprivate(trial, graph, task) depend(inout : a[0]) depend(in : b[0])
        run_planned(trial, graph, task);
        break;
    default:
#pragma omp task firstprivate(trial, graph, task) depend(out : a[0]) depend(inout : b[0])
        run_planned(trial, graph, task);
    }
}

static void submit_two(struct trial *trial, struct graph *graph, int task)
{
    int *a = planned_address(graph, task, 0);
    int *b = planned_address(graph, task, 1);
    if (graph->task[task].shape == 4) {
#pragma omp task firstprivate(trial, graph, task) depend(inout : a[0], a[0]) depend(in : b[0])
        run_planned(trial, graph, task);
    } else {
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0], a[0]) depend(inout : b[0])
        run_planned(trial, graph, task);
    }
}

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    if (graph->task[task].items == 1)
        submit_one(trial, graph, task);
    else
        submit_two(trial, graph, task);
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "same-address-twice",
                          .statement = "A task that names an address twice is ordered by the "
                                       "stronger of the two items.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
