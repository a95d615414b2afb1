/* SPDX-License-Identifier: BSD-3-Clause
 * One pass over the instances of a pattern: their tasks are created, by one thread or by several at once, and run. */
#ifndef POLLUX_MICRO_PASS_H
#define POLLUX_MICRO_PASS_H

#include "micro/bench.h"

/** How tasks are created. */
struct pass_choice {
    bool gated;   /**< no task can run until all are created */
    bool timed;   /**< tasks note when they begin and end */
    bool weighed; /**< the growth of the heap is measured */
    bool sampled; /**< without a gate: ended_share is looked up */
};

/** What a pass took. Of several creators: from the first to the last of them. */
struct pass {
    int64_t begin_ns, created_ns, end_ns;
    int64_t opened_ns;  /**< when the last gate was opened; 0 without gates */
    double creating_ns; /**< the creators' times from begin to created, added up */
    double heap_bytes;  /**< NaN where the C library does not tell; 0 if it is not asked */
    /** Of the tasks, when the last was created; the mean over the creators. 0 unless sampled. */
    double ended_share;
};

/** Runs a pass; the cells keep what its tasks noted. Ends the program with POLLUX_MACHINE if the runtime gives
 * another number of threads. */
struct pass pass_run(struct bench *bench, struct pass_choice choice);

#endif
