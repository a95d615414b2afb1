/* SPDX-License-Identifier: BSD-3-Clause
 * Random graphs of tasks, and the oracle that gives what each task must find when it begins.
 *
 * A rule lists the shapes of its tasks: which kinds of items its pragmas have. try_graph chooses
 * for each task a shape and distinct addresses; the rule creates it by the pragma of its shape, with
 * run_planned as body. The oracle is the order of creation: on an address, consecutive tasks of one
 * kind that lets them run together form a set, every other task is a set of its own, and a task
 * begins when all earlier sets have ended. */
#ifndef POLLUX_CONFORMANCE_RANDOM_GRAPH_H
#define POLLUX_CONFORMANCE_RANDOM_GRAPH_H

#include "conformance/rule.h"

enum { TASKS_MAX = 200, ADDRESSES_MAX = 40, ITEMS_MAX = 32 };

/** The kind of a depend item. `out` orders as `inout` does. */
enum item_kind { ITEM_IN, ITEM_INOUT, ITEM_INOUTSET, ITEM_MUTEXINOUTSET };

/** The items of one pragma. */
struct shape {
    int items;
    enum item_kind kind[ITEMS_MAX];
};

/** An item of a task, and what the oracle demands. */
struct planned_item {
    int address;
    enum item_kind kind;
    int ended;   /**< tasks that name the address and must have ended */
    int written; /**< of these, those that wrote it alone */
};

struct planned_task {
    int shape;    /**< index in the rule's list */
    bool lingers; /**< long enough to catch a task that should have waited */
    int items;
    struct planned_item item[ITEMS_MAX];
};

struct graph {
    int tasks, addresses;
    struct planned_task task[TASKS_MAX];
    int value[ADDRESSES_MAX]; /**< what the items name; counts those that wrote it alone */
    int ended[ADDRESSES_MAX], inside[ADDRESSES_MAX];
    int ran;
};

/** The address of an item, for the pragma. */
int *planned_address(struct graph *graph, int task, int item);

/** The body of a task: compares what it finds with the oracle, works for a random time, and records
 * that it ran. Of several mutexinoutset tasks on an address only one may be inside. */
void run_planned(struct trial *trial, struct graph *graph, int task);

/** One trial: plans a graph from the trial's seed, creates its tasks in order on one thread of the
 * team, and checks that each of them ran and no write was lost.
 * @param tasks at most TASKS_MAX
 * @param addresses at most ADDRESSES_MAX, and as many as a shape has items
 * @param submit_task creates one task by the pragma of its shape, with run_planned as body */
void try_graph(struct trial *trial, int tasks, int addresses, const struct shape *shapes,
               int shape_count,
               void (*submit_task)(struct trial *trial, struct graph *graph, int task));

#endif
