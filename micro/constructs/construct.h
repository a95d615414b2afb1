/* SPDX-License-Identifier: BSD-3-Clause
 * A construct of OpenMP, as a table entry: how often it executes what is inside of it, and a loop over it. */
#ifndef POLLUX_MICRO_CONSTRUCTS_CONSTRUCT_H
#define POLLUX_MICRO_CONSTRUCTS_CONSTRUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/identity/capabilities.h"
#include "micro/constructs/run.h"

/** How often the delay is executed in `inner` rounds, and how the time is divided. */
enum construct_share {
    SHARE_TEAM,   /**< in each round once by each thread; the time of a round, less one delay */
    SHARE_SINGLE, /**< in each round once by one thread, while the others wait; the same */
    SHARE_OWN,    /**< in each round once by each thread, for itself; the same */
    SHARE_ALONE,  /**< by all threads in turn; the time of one execution, less one delay */
    SHARE_TASKS /**< `inner` tasks of one creator; the time of a task, less its share of a delay */
};

struct construct {
    const char *name;
    const char *summary;
    unsigned needs; /**< set of enum capability */
    enum construct_share share;
    bool bare;                               /**< additions take the place of the delays */
    bool sums;                               /**< each execution adds one to `total` */
    bool waiting;                            /**< all are tasks, which may wait at once */
    void (*test)(struct construct_run *run); /**< NULL: the compiler lacks what it takes */
};

extern const struct construct construct_parallel, construct_for, construct_parallel_for,
    construct_barrier, construct_single, construct_reduction, construct_critical, construct_lock,
    construct_atomic, construct_task, construct_task_single, construct_taskwait,
    construct_taskgroup, construct_taskloop, construct_depend, construct_depend_single;

/** All of them, ended by NULL. */
extern const struct construct *const constructs[];

/** Executions of the delay, or of what takes its place, in so many rounds. */
size_t construct_executions(const struct construct *c, size_t threads, size_t inner);

/** Different numbers that these executions have, each as often as the others. */
size_t construct_numbers(const struct construct *c, size_t threads, size_t inner);

#endif
