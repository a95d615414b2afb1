/* SPDX-License-Identifier: BSD-3-Clause
 * Independent tasks of a taskloop, an iteration each. */
#include "micro/patterns/patterns.h"

#ifdef POLLUX_HAVE_TASKLOOP

static void create(struct run *run)
{
    size_t tasks = run->shape->tasks;
#pragma omp taskloop grainsize(1) firstprivate(run)
    for (size_t i = 0; i < tasks; i++)
        run_task(run, i);
}

#endif

const struct pattern taskloop = {.name = "taskloop",
                                 .summary = "a taskloop with a task for each iteration",
                                 .needs = CAPABILITY_TASKLOOP,
                                 .addresses = one_address,
                                 .ungated = "the tasks of a taskloop wait for nothing",
                                 .define = define_independent,
#ifdef POLLUX_HAVE_TASKLOOP
                                 .create = create
#endif
};
