/* SPDX-License-Identifier: BSD-3-Clause
 * A rule whose trials say which graph they have planned, for each task its shape and addresses. Its tasks run in the
 * order of their creation. */
#include <stdio.h>
#include <string.h>

#include "conformance/random_graph.h"

enum { TASKS = 20, ADDRESSES = 7, SHAPES = 2 };

static const struct shape shapes[SHAPES] = {{1, {ITEM_IN}}, {2, {ITEM_IN, ITEM_INOUT}}};
static char planned[DETAIL_SIZE];

static void submit_task(struct trial *trial, struct graph *graph, int task)
{
    const struct planned_task *own = &graph->task[task];
    size_t length = strlen(planned);
    length += (size_t)snprintf(planned + length, sizeof planned - length, " %d:", own->shape);
    for (int i = 0; i < own->items; i++)
        length +=
            (size_t)snprintf(planned + length, sizeof planned - length, "%d", own->item[i].address);
    run_planned(trial, graph, task);
}

static void attempt(struct trial *trial)
{
    planned[0] = '\0';
    try_graph(trial, TASKS, ADDRESSES, shapes, SHAPES, submit_task);
    trial_ignored(trial, "%s", planned);
}

const struct rule rule = {.name = "planning",
                          .statement = "A graph follows from its seed.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
