/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that is slower by a known fraction. After a task that computed for t its thread
 * computes for a fraction of t more, so that times grow by that fraction whatever the task graph. Both
 * are the thread's processor time: while others have the processor, nothing is added.
 *
 *   POLLUX_DOUBLE_DELAY=0.05   the fraction; 0, the default, leaves only the overhead of the double
 *
 * A slowed runtime is to be compared with one at delay 0, whose tasks take the same path. */

#include "common/base/clock.h"
#include "task.h"

/* Read once, before main. */
static double share;

__attribute__((constructor)) static void read_share(void)
{
    share = variable_number("POLLUX_DOUBLE_DELAY", 0);
}

/* Computes for so long. A thread that reads the clock late has lost its processor meanwhile: that does not
 * count. Reading it takes a twentieth of what reading the processor time does, which may be longer than a
 * small delay. */
static void compute_for(int64_t ns)
{
    static const int64_t LATE = 5000;
    int64_t last = now_ns(CLOCK_MONOTONIC);
    while (ns > 0) {
        int64_t now = now_ns(CLOCK_MONOTONIC);
        ns -= now - last < LATE ? now - last : 0;
        last = now;
    }
}

void run_task(const struct task *task)
{
    int64_t start = now_ns(CLOCK_THREAD_CPUTIME_ID);
    run_body(task);
    compute_for((int64_t)(share * (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - start)));
}
