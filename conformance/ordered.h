/* SPDX-License-Identifier: BSD-3-Clause
 * A random graph of tasks that each read one address and write another, and its oracle: the order
 * of creation. For the rules by which something else does not disturb this order. */
#ifndef POLLUX_CONFORMANCE_ORDERED_H
#define POLLUX_CONFORMANCE_ORDERED_H

#include "conformance/rule.h"

enum { ORDERED_ADDRESSES = 6, ORDERED_TASKS_MAX = 200 };

/** For each address, how many writers have ended, and how many readers. */
struct ordered_counts {
    int written[ORDERED_ADDRESSES];
    int read[ORDERED_ADDRESSES];
};

/** A task, and what it must find when it begins. */
struct ordered_task {
    size_t reads, writes; /**< addresses, never the same */
    int written_before_read, written_before_write, read_before_write;
};

/** A graph; all zero before its first task. */
struct ordered {
    struct ordered_counts seen;     /**< by the tasks */
    struct ordered_counts created;  /**< by the thread that creates them */
    int address[ORDERED_ADDRESSES]; /**< what the depend clauses name */
    size_t tasks;
    struct ordered_task task[ORDERED_TASKS_MAX];
};

/** The next task in the order of creation, at most ORDERED_TASKS_MAX in all. It must then be
 * created, with depend items in : ordered_read()[0] and out or inout : ordered_written()[0]. */
size_t ordered_next(struct trial *trial, struct ordered *graph);
int *ordered_read(struct ordered *graph, size_t task);
int *ordered_written(struct ordered *graph, size_t task);

/** What the task does: checks that all it depends on has ended, works for at most `microseconds`,
 * and ends. */
void ordered_run(struct trial *trial, struct ordered *graph, size_t task, size_t microseconds);

/** The first and the last step of ordered_run, for a task with work of its own in between. */
void ordered_begin(struct trial *trial, struct ordered *graph, size_t task);
void ordered_end(struct ordered *graph, size_t task);

/** Whether all tasks created so far that write `address` have ended; those that read it too. */
bool ordered_writers_ended(const struct ordered *graph, size_t address);
bool ordered_readers_ended(const struct ordered *graph, size_t address);

/** Checks that all tasks are complete. */
void ordered_check_complete(struct trial *trial, const struct ordered *graph);

#endif
