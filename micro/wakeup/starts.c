/* SPDX-License-Identifier: BSD-3-Clause
 * The master keeps its processor while the others are idle, and while it waits for them: neither is at a point where
 * it could run a task itself. */
#include "micro/wakeup/starts.h"

#include <omp.h>

#include "common/base/clock.h"

/* A runtime may leave the task to the thread that created it. */
static const int64_t PATIENCE_NS = 1000000000;

static int64_t spin_until(int64_t end_ns)
{
    int64_t now = now_ns(CLOCK_MONOTONIC);
    while (now < end_ns)
        now = now_ns(CLOCK_MONOTONIC);
    return now;
}

static void begin_task(struct start *start)
{
    start->began_ns = now_ns(CLOCK_MONOTONIC);
    __atomic_store_n(&start->thread, omp_get_thread_num(), __ATOMIC_RELEASE);
}

/* @return the thread that began the task, negative where none has yet; alone, the master would wait for itself. */
static int await_task(const struct start *start)
{
    int64_t end = start->asked_ns + PATIENCE_NS;
    int thread;
    if (start->given == 1)
        return 0;
    do
        thread = __atomic_load_n(&start->thread, __ATOMIC_ACQUIRE);
    while (thread < 0 && now_ns(CLOCK_MONOTONIC) < end);
    return thread;
}

static int give_task(struct start *start)
{
    start->given = (size_t)omp_get_num_threads();
    start->asked_ns = spin_until(now_ns(CLOCK_MONOTONIC) + start->pause_ns);
#pragma omp task firstprivate(start)
    begin_task(start);
    return await_task(start);
}

/* The others wait at the end of the region. The task may begin after the master has lost patience: it is not counted
 * then, though it notes its thread. */
static void start_task(struct start *start)
{
    int team = (int)start->threads, thread = -1;
    start->thread = -1;
#pragma omp parallel num_threads(team) firstprivate(start) shared(thread)
    if (omp_get_thread_num() == 0)
        thread = give_task(start);
    start->end_ns = now_ns(CLOCK_MONOTONIC);
    start->thread = thread;
}

static void start_region(struct start *start)
{
    int team = (int)start->threads, last = 0;
    int64_t latest = 0;
    start->asked_ns = spin_until(now_ns(CLOCK_MONOTONIC) + start->pause_ns);
#pragma omp parallel num_threads(team) reduction(max : latest) reduction(max : last)
    if (omp_get_thread_num() > 0) { /* the first one was awake */
        latest = now_ns(CLOCK_MONOTONIC);
        last = omp_get_thread_num();
    } else
        start->given = (size_t)omp_get_num_threads();
    start->end_ns = now_ns(CLOCK_MONOTONIC);
    start->began_ns = latest;
    start->thread = last;
}

const struct start_form start_forms[] = {
    {"task", "the first task of a region, for a thread that waits at the region's end", start_task},
    {"region", "a parallel region, until the last thread of its team begins", start_region},
    {0}};
