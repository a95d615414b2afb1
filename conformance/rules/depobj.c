/* SPDX-License-Identifier: BSD-3-Clause
 * Depend objects order tasks as the items that they represent do: random graphs, with objects that
 * are created, at times updated, used and destroyed. */
#include "conformance/random_graph.h"

#include <omp.h>

enum { TASKS = 200, ADDRESSES = 6, SHAPES = 6 };

static const struct shape shapes[SHAPES] = {
    {1, {ITEM_IN}},
    {1, {ITEM_INOUT}},
    {1, {ITEM_MUTEXINOUTSET}},
    {2, {ITEM_IN, ITEM_INOUT}},
    {2, {ITEM_MUTEXINOUTSET, ITEM_IN}},
    {2, {ITEM_INOUT, ITEM_MUTEXINOUTSET}},
};

static void create_object(omp_depend_t *object, int *a, enum item_kind kind)
{
    if (kind == ITEM_IN) {
#pragma omp depobj(*object) depend(in : a[0])
    } else if (kind == ITEM_MUTEXINOUTSET) {
#pragma omp depobj(*object) depend(mutexinoutset : a[0])
    } else {
#pragma omp depobj(*object) depend(inout : a[0])
    }
}

static void update_object(omp_depend_t *object, enum item_kind kind)
{
    if (kind == ITEM_IN) {
#pragma omp depobj(*object) update(in)
    } else if (kind == ITEM_MUTEXINOUTSET) {
#pragma omp depobj(*object) update(mutexinoutset)
    } else {
#pragma omp depobj(*object) update(inout)
    }
}

/* Every other object begins as another kind. */
static void make_object(omp_depend_t *object, struct graph *graph, int task, int item)
{
    enum item_kind kind = graph->task[task].item[item].kind;
    int *a = planned_address(graph, task, item);
    if (task % 2 == 0) {
        create_object(object, a, kind);
    } else {
        create_object(object, a, kind == ITEM_IN ? ITEM_INOUT : ITEM_IN);
        update_object(object, kind);
    }
}

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    omp_depend_t first;
    omp_depend_t second;
    make_object(&first, graph, task, 0);
    if (graph->task[task].items == 1) {
#pragma omp task firstprivate(trial, graph, task) depend(depobj : first)
        run_planned(trial, graph, task);
    } else {
        make_object(&second, graph, task, 1);
#pragma omp task firstprivate(trial, graph, task) depend(depobj : first, second)
        run_planned(trial, graph, task);
#pragma omp depobj(second) destroy
    }
#pragma omp depobj(first) destroy
}

static void attempt(struct trial *trial)
{
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "depobj",
                          .statement = "A depend object orders tasks as the item that it was made "
                                       "from, with the kind that it was last updated to.",
                          .source = "OpenMP 5.2, 15.9.3 and 15.9.4",
                          .attempt = attempt};
