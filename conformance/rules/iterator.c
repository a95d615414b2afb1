/* SPDX-License-Identifier: BSD-3-Clause
 * An iterator stands for one, four or eight items: random graphs, each task checked against the
 * order of creation. */
#include "conformance/random_graph.h"

enum { TASKS = 200, ADDRESSES = 20, SHAPES = 6 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_IN}},
    {1, {ITEM_INOUT}},
    {4, {ITEM_IN, ITEM_IN, ITEM_IN, ITEM_IN}},
    {4, {ITEM_IN, ITEM_IN, ITEM_INOUT, ITEM_INOUT}},
    {8, {ITEM_IN, ITEM_IN, ITEM_IN, ITEM_IN, ITEM_IN, ITEM_IN, ITEM_IN, ITEM_INOUT}},
    {8,
     {ITEM_INOUT, ITEM_INOUT, ITEM_INOUT, ITEM_INOUT, ITEM_INOUT, ITEM_INOUT, ITEM_INOUT,
      ITEM_INOUT}},
};

/* The items of a task: those before `end_read` are read, those before `end` written. */
struct items {
    int *a[ITEMS_MAX];
    int end_read, end;
};

static struct items items_of(struct graph *graph, int task)
{
    const struct planned_task *planned = &graph->task[task];
    struct items items = {.end = planned->items};
    for (int i = 0; i < planned->items; i++) {
        items.a[i] = planned_address(graph, task, i);
        if (planned->item[i].kind == ITEM_IN)
            items.end_read = i + 1;
    }
    return items;
}

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    struct items items = items_of(graph, task);
#pragma omp task firstprivate(trial, graph, task) \
    depend(iterator(int i = 0 : items.end_read), in : items.a[i][0]) \
    depend(iterator(int i = items.end_read : items.end), inout : items.a[i][0])
    run_planned(trial, graph, task);
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "iterator",
                          .statement = "An item with an iterator counts as one item for each of "
                                       "its values, also where it has none.",
                          .source = "OpenMP 5.2, 3.2.6 and 15.9.5",
                          .attempt = attempt};
