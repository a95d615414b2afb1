/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime that is slower by a known fraction. After a task that ran for t its thread is
 * kept busy for a fraction of t, so that times grow by that fraction whatever the task graph.
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

void run_task(const struct task *task)
{
    double start = now_seconds();
    run_body(task);
    double end = now_seconds(), until = end + share * (end - start);
    while (now_seconds() < until)
        continue;
}
