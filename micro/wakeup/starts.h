/* SPDX-License-Identifier: BSD-3-Clause
 * What wakes an idle thread: a task, or a parallel region. */
#ifndef POLLUX_MICRO_WAKEUP_STARTS_H
#define POLLUX_MICRO_WAKEUP_STARTS_H

#include <stddef.h>
#include <stdint.h>

/** One start, and its times in ns of CLOCK_MONOTONIC. */
struct start {
    size_t threads;   /**< that the region has to have */
    size_t given;     /**< and those that it had */
    int64_t pause_ns; /**< for which the other threads are idle before it */
    int64_t asked_ns; /**< just before the construct that wakes them */
    int64_t
        began_ns;   /**< when what it starts began on another thread, on the last one of a region */
    int64_t end_ns; /**< the end of the region */
    int thread;     /**< that ran the task, or the last to begin; -1: none within PATIENCE_NS */
};

struct start_form {
    const char *name, *summary;
    void (*run)(struct start *start);
};

extern const struct start_form start_forms[];

#endif
