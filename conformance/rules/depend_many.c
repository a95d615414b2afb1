/* SPDX-License-Identifier: BSD-3-Clause
 * Five, eight, 16 and 32 items in a task, half of them read: random graphs, each task checked
 * against the order of creation. */
#include "conformance/random_graph.h"

enum { TASKS = 160, ADDRESSES = ADDRESSES_MAX, SHAPES = 5 };

/* The first of the items are `in`. */
static struct shape half_read(int items)
{
    struct shape shape = {.items = items};
    for (int i = 0; i < items; i++)
        shape.kind[i] = i < (items + 1) / 2 ? ITEM_IN : ITEM_INOUT;
    return shape;
}

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    int *a[ITEMS_MAX];
    int items = graph->task[task].items;
    for (int i = 0; i < items; i++)
        a[i] = planned_address(graph, task, i);
    switch (items) {
    case 1:
#pragma omp task firstprivate(trial, graph, task) depend(in : a[0][0])
        run_planned(trial, graph, task);
        break;
    case 5:
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : a[0][0], a[1][0], a[2][0]) \
    depend(inout : a[3][0], a[4][0])
        run_planned(trial, graph, task);
        break;
    case 8:
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : a[0][0], a[1][0], a[2][0], a[3][0]) \
    depend(inout : a[4][0], a[5][0], a[6][0], a[7][0])
        run_planned(trial, graph, task);
        break;
    case 16:
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : a[0][0], a[1][0], a[2][0], a[3][0], a[4][0], a[5][0], a[6][0], a[7][0]) \
    depend(inout : a[8][0], a[9][0], a[10][0], a[11][0], a[12][0], a[13][0], a[14][0], a[15][0])
        run_planned(trial, graph, task);
        break;
    default:
#pragma omp task firstprivate(trial, graph, task) \
    depend(in : a[0][0], a[1][0], a[2][0], a[3][0], a[4][0], a[5][0], a[6][0], a[7][0], a[8][0], \
        a[9][0], a[10][0], a[11][0], a[12][0], a[13][0], a[14][0], a[15][0]) \
    depend(inout : a[16][0], a[17][0], a[18][0], a[19][0], a[20][0], a[21][0], a[22][0], \
        a[23][0], a[24][0], a[25][0], a[26][0], a[27][0], a[28][0], a[29][0], a[30][0], \
        a[31][0])
        run_planned(trial, graph, task);
    }
}

static void attempt(struct trial *trial)
{
    const struct shape shapes[SHAPES] = {half_read(1), half_read(5), half_read(8), half_read(16),
                                         half_read(32)};
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
}

const struct rule rule = {.name = "depend-many",
                          .statement = "Each item of a task orders it, also where there are more "
                                       "than four.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
