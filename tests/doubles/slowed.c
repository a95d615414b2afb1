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

static double computed_seconds(void)
{
    return 1e-9 * (double)now_ns(CLOCK_THREAD_CPUTIME_ID);
}

void run_task(const struct task *task)
{
    double start = computed_seconds();
    run_body(task);
    double end = computed_seconds(), until = end + share * (end - start);
    while (computed_seconds() < until)
        continue;
}
