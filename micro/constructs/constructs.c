/* SPDX-License-Identifier: BSD-3-Clause
 * The table of constructs, and their counts. */
#include "micro/constructs/construct.h"

const struct construct *const constructs[] = {&construct_parallel,
                                              &construct_for,
                                              &construct_parallel_for,
                                              &construct_barrier,
                                              &construct_single,
                                              &construct_reduction,
                                              &construct_critical,
                                              &construct_lock,
                                              &construct_atomic,
                                              &construct_task,
                                              &construct_task_single,
                                              &construct_taskwait,
                                              &construct_taskgroup,
                                              &construct_taskloop,
                                              &construct_depend,
                                              &construct_depend_single,
                                              NULL};

size_t construct_executions(const struct construct *c, size_t threads, size_t inner)
{
    return c->share == SHARE_SINGLE || c->share == SHARE_TASKS ? inner : inner * threads;
}

size_t construct_numbers(const struct construct *c, size_t threads, size_t inner)
{
    return c->share == SHARE_TEAM ? inner : construct_executions(c, threads, inner);
}
