/* SPDX-License-Identifier: BSD-3-Clause
 * More than four mutexinoutset items in a task: it excludes the others on each of its addresses,
 * and tasks that share several do not deadlock. */
#include "conformance/random_graph.h"

enum { TASKS = 120, ADDRESSES = 10, SHAPES = 3 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_MUTEXINOUTSET}},
    {5,
     {ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET,
      ITEM_MUTEXINOUTSET}},
    {8,
     {ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET,
      ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET, ITEM_MUTEXINOUTSET}},
};

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    int *a[8];
    int items = graph->task[task].items;
    for (int i = 0; i < items; i++)
        a[i] = planned_address(graph, task, i);
    if (items == 1) {
#pragma omp task firstprivate(trial, graph, task) depend(mutexinoutset : a[0][0])
        run_planned(trial, graph, task);
    } else if (items == 5) {
#pragma omp task firstprivate(trial, graph, task) \
    depend(mutexinoutset : a[0][0], a[1][0], a[2][0], a[3][0], a[4][0])
        run_planned(trial, graph, task);
    } else {
#pragma omp task firstprivate(trial, graph, task) \
    depend(mutexinoutset : a[0][0], a[1][0], a[2][0], a[3][0], a[4][0], a[5][0], a[6][0], a[7][0])
        run_planned(trial, graph, task);
    }
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "mutexinoutset-many",
                          .statement = "A task with more than four mutexinoutset items is alone on "
                                       "each of their addresses.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
