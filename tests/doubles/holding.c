/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded before forgetful.so, which drops dependences: what they would have ordered then runs in a wrong order in
 * every run. A task that begins while no other runs, on another thread than its creator's, is held until the others
 * have got as far as they can without it; the creator itself begins with the task that it created last. */
#include "task.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "common/base/clock.h"

/* Without any other task's end: they have got as far as they can, however busy the machine is. */
static const double PATIENCE_SECONDS = 0.1;

static atomic_long running, ended;

static void wait_for_the_others(void)
{
    long seen = atomic_load(&ended);
    double since = now_seconds();
    while (now_seconds() - since < PATIENCE_SECONDS) {
        sched_yield();
        if (atomic_load(&ended) == seen)
            continue;
        seen = atomic_load(&ended);
        since = now_seconds();
    }
}

void run_task(const struct task *task)
{
    bool alone = atomic_fetch_add(&running, 1) == 0;
    if (alone && task->written.first && !task->at_home)
        wait_for_the_others();
    run_body(task);
    atomic_fetch_add(&ended, 1);
    atomic_fetch_sub(&running, 1);
}
