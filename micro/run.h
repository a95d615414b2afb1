/* SPDX-License-Identifier: BSD-3-Clause
 * What all tasks of one pass over a pattern share, and what a task does: it looks for the marks of its
 * predecessors and leaves its own. */
#ifndef POLLUX_MICRO_RUN_H
#define POLLUX_MICRO_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "micro/pattern.h"

/** What a task leaves behind, on a cache line of its own. */
struct cell {
    int begun;  /**< number of times that the task has begun in this pass */
    int ended;  /**< whether it has ended */
    int thread; /**< that ran it; only where times are taken */
    int64_t begin_ns, end_ns;
} __attribute__((aligned(64)));

/** One pass over a pattern. */
struct run {
    const struct shape *shape;
    const struct graph *graph;
    struct cell *cells; /**< one for each task */
    char *address;      /**< the first of those that tasks name; nothing is stored there */
    size_t distance;    /**< bytes from one to the next */
    void *prepared;     /**< by the pattern, for its tasks */
    bool timed;         /**< tasks note when they begin and end */
    int creator;        /**< thread that creates the tasks */
    int open;           /**< whether tasks may run: 0 while they are created behind a gate */
    int held;           /**< a thread waits at the gate */
    int early;          /**< whether a task ran while the gate was closed */
    void (*work)(void *argument); /**< what a task computes, after its checks; NULL: nothing */
    void *work_argument;
    size_t faults;  /**< tasks that found another state than they must */
    size_t faulty;  /**< one of them */
    size_t missing; /**< what it did not find: a predecessor, or itself if it ran twice */
    int inside;     /**< tasks that run in run_task_alone */
    int together;   /**< whether two of them ran at once */
};

/** Address number `index`, as depend clauses name it. */
static inline char *run_address(const struct run *run, size_t index)
{
    return run->address + index * run->distance;
}

/** What a task does. */
void run_task(struct run *run, size_t task);

/** For a task that has waited for another: that one must have ended. */
void run_require(struct run *run, size_t task, size_t ended);

/** What a task does that must not run at the same time as others that do this. */
void run_task_alone(struct run *run, size_t task);

/** What the task does that holds back all others: waits until the gate opens, on any thread but the one that
 * creates the tasks. */
void run_hold(struct run *run);

/** What the tasks do that pass on the opening of the gate: nothing. */
void run_pass_on(struct run *run);

/** Opens the gate. */
void run_open(struct run *run);

/** Pauses a moment in a loop that waits for another thread, which may need this one's processor.
 * @param[in] round 0 at first, then what the last call returned */
int run_pause(int round);

/** Waits until a thread waits at the gate, for a bounded time: it is closed either way. */
void run_await_holder(struct run *run);

/** The share of the tasks that have ended, of a sample that is read in a time in which few more end. */
double run_ended_share(const struct run *run);

/** Prepares for the next pass. */
void run_reset(struct run *run);

/** Whether every task ran once and found what it must. Counts those that did not run as faults. */
bool run_passed(struct run *run);

#endif
