/* SPDX-License-Identifier: BSD-3-Clause
 * The order that a pattern demands: for each task, the tasks that must have ended when it begins. */
#ifndef POLLUX_MICRO_GRAPH_H
#define POLLUX_MICRO_GRAPH_H

#include <stddef.h>

/** Tasks in the order of their creation. The predecessors of task t are
 * predecessor[first[t]] … predecessor[first[t + 1] - 1], all of them less than t. */
struct graph {
    size_t tasks;
    size_t *first;
    size_t *predecessor;
    size_t capacity; /**< of `predecessor` */
};

/** A graph without tasks, for so many. Ends the program with POLLUX_MACHINE if out of memory. */
struct graph graph_create(size_t tasks);

void graph_destroy(struct graph *graph);

/** What there is no memory for, where it has no place in memory: of so many tasks. */
#define ORDER_OF "the order of %zu tasks: choose fewer with --tasks"

/** Adds the next task. */
void graph_add_task(struct graph *graph);

/** Adds a predecessor of the task that was added last. */
void graph_add_predecessor(struct graph *graph, size_t predecessor);

/** Tasks on the longest path: what one thread cannot avoid, however many others there are. Ends the program with
 * POLLUX_MACHINE if out of memory. */
size_t graph_longest_path(const struct graph *graph);

/** All edges. */
size_t graph_edges(const struct graph *graph);

#endif
