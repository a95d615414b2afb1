/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks, created by every thread or by one, and what waits for them. */
#include <omp.h>

#include "common/execution/team.h"
#include "micro/constructs/construct.h"

#if defined(POLLUX_HAVE_PARALLEL) && !defined(_OMPSS)

static void test_task(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    {
        size_t first = (size_t)omp_get_thread_num() * run->inner;
        for (size_t i = 0; i < run->inner; i++) {
#pragma omp task firstprivate(run, first, i)
            construct_work(run, first + i);
        }
    }
}

static void test_taskwait(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    {
        size_t first = (size_t)omp_get_thread_num() * run->inner;
        for (size_t i = 0; i < run->inner; i++) {
#pragma omp task firstprivate(run, first, i)
            construct_work(run, first + i);
#pragma omp taskwait
            construct_expect(run, first + i, 1);
        }
    }
}

/* Every thread's tasks have an address of their own. */
static void test_depend(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), first = thread * run->inner;
        char *chain = construct_chain(run, thread);
        for (size_t i = 0; i < run->inner; i++) {
            size_t before = i > 0 ? first + i - 1 : first;
#pragma omp task firstprivate(run, first, i, before) depend(inout : chain[0])
            construct_work_after(run, first + i, before);
        }
    }
}

#else
#define test_task NULL
#define test_taskwait NULL
#define test_depend NULL
#endif

#if defined(POLLUX_HAVE_PARALLEL) && defined(POLLUX_HAVE_TASKGROUP) && !defined(_OMPSS)

static void test_taskgroup(struct construct_run *run)
{
    int threads = (int)run->threads;
#pragma omp parallel num_threads(threads)
    {
        size_t first = (size_t)omp_get_thread_num() * run->inner;
        for (size_t i = 0; i < run->inner; i++) {
#pragma omp taskgroup
            {
#pragma omp task firstprivate(run, first, i)
                construct_work(run, first + i);
            }
            construct_expect(run, first + i, 1);
        }
    }
}

#else
#define test_taskgroup NULL
#endif

static void create_tasks(void *argument)
{
    struct construct_run *run = argument;
    for (size_t i = 0; i < run->inner; i++) {
#pragma omp task firstprivate(run, i)
        construct_work(run, i);
    }
}

static void test_task_single(struct construct_run *run)
{
    team_time(run->threads, create_tasks, run, NULL);
}

/* As many chains as threads, a task of each in turn. */
static void create_chains(void *argument)
{
    struct construct_run *run = argument;
    size_t chains = run->threads;
    for (size_t i = 0; i < run->inner; i++) {
        char *chain = construct_chain(run, i % chains);
        size_t before = i >= chains ? i - chains : i;
#pragma omp task firstprivate(run, i, before) depend(inout : chain[0])
        construct_work_after(run, i, before);
    }
}

static void test_depend_single(struct construct_run *run)
{
    team_time(run->threads, create_chains, run, NULL);
}

#ifdef POLLUX_HAVE_TASKLOOP

static void create_taskloops(void *argument)
{
    struct construct_run *run = argument;
    size_t threads = run->threads;
    for (size_t i = 0; i < run->inner; i++) {
#pragma omp taskloop grainsize(1) firstprivate(run, i)
        for (size_t t = 0; t < threads; t++)
            construct_work(run, i);
        construct_expect(run, i, run->threads);
    }
}

static void test_taskloop(struct construct_run *run)
{
    team_time(run->threads, create_taskloops, run, NULL);
}

#else
#define test_taskloop NULL
#endif

const struct construct construct_task = {.name = "task",
                                         .summary = "tasks, created by every thread",
                                         .share = SHARE_OWN,
                                         .waiting = true,
                                         .test = test_task};

const struct construct construct_task_single = {.name = "task-single",
                                                .summary = "tasks, created by one thread",
                                                .share = SHARE_TASKS,
                                                .waiting = true,
                                                .test = test_task_single};

const struct construct construct_taskwait = {.name = "taskwait",
                                             .summary = "a task and a taskwait, on every thread",
                                             .share = SHARE_OWN,
                                             .test = test_taskwait};

const struct construct construct_taskgroup = {.name = "taskgroup",
                                              .summary = "a task in a taskgroup, on every thread",
                                              .share = SHARE_OWN,
                                              .test = test_taskgroup};

const struct construct construct_taskloop = {
    .name = "taskloop",
    .summary = "a taskloop with a task for each thread, met by one",
    .needs = CAPABILITY_TASKLOOP,
    .share = SHARE_TEAM,
    .test = test_taskloop};

const struct construct construct_depend = {.name = "depend",
                                           .summary =
                                               "tasks with a dependence, a chain on every thread",
                                           .share = SHARE_OWN,
                                           .waiting = true,
                                           .test = test_depend};

const struct construct construct_depend_single = {
    .name = "depend-single",
    .summary = "tasks with a dependence, by one thread: as many chains as threads in turn",
    .share = SHARE_TASKS,
    .waiting = true,
    .test = test_depend_single};
