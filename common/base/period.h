/* SPDX-License-Identifier: BSD-3-Clause
 * The time around what is measured, and how often threads lost their processors in it. */
#ifndef POLLUX_COMMON_PERIOD_H
#define POLLUX_COMMON_PERIOD_H

#include <stdint.h>

/** From before a repetition until after it. */
struct period {
    int64_t start_unix_ns, end_unix_ns; /**< of CLOCK_REALTIME, ns since 1970 */
    /** Involuntary context switches of all threads of the process: another program got the processor of a thread that
     * could have gone on, also where it offered it by sched_yield. */
    int64_t preemptions;
};

/** @return one that begins now */
struct period period_begin(void);

/** Ends it now. */
void period_end(struct period *period);

#endif
