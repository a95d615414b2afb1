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
};

/** What a pass took. Of several creators: from the first to the last of them. */
struct pass {
    int64_t begin_ns, created_ns, opened_ns, end_ns;
    double creating_ns; /**< the creators' times from begin to created, added up */
    double heap_bytes;
    double ended_share; /**< of the tasks, when the last was created; the mean over the creators */
};

/** Runs a pass; the cells keep what its tasks noted. Ends the program with POLLUX_MACHINE if the runtime gives
 * another number of threads. */
struct pass pass_run(struct bench *bench, struct pass_choice choice);

#endif
