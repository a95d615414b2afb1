/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded: a runtime in which tasks cost more, by known times in nanoseconds. Programs by GCC
 * call it by way of task.c, those by clang by way of costly_kmp.c.
 *
 *   POLLUX_DOUBLE_CREATION=100   for the creation of a task
 *   POLLUX_DOUBLE_ITEM=100       for each of its depend items, while it is created
 *   POLLUX_DOUBLE_RELEASE=1000   from the end of its body until the runtime knows of it
 *   POLLUX_DOUBLE_WAKE=1000      before a task of another thread, where its own has run none for 20 µs
 *
 * Each is 0 by default; POLLUX_DOUBLE_ONLY: see meant.h. A costlier runtime is to be compared with one whose times are
 * all 0: its tasks take the same path. */

#include "costly.h"

#include <stdint.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "meant.h"
#include "task.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { CALLS = 200, BATCHES = 50, CORRECTIONS = 4 };

static const double TICKS_SECONDS = 2e-3; /* in which the rate of ticks is measured */
static const double LONG_NS = 10000;      /* of which a read of the counter is next to nothing */

static uint64_t creation, item, release, wake; /* ticks */

/* Whether threads note the ends of their tasks, also where waking up takes no longer. */
static bool notes_ends;

static const double ASLEEP_SECONDS = 20e-6; /* after which a thread counts as asleep */
static _Thread_local double last_end;

/* Of a counter that is read faster than a clock. Rounds of an empty loop would take up to twice as long where another
 * thread uses the same core. */
static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return (uint64_t)now_ns(CLOCK_MONOTONIC);
#endif
}

static void wait_for(uint64_t delay)
{
    if (delay > 0)
        for (uint64_t begin = ticks(); ticks() - begin < delay;)
            continue;
}

static double ticks_per_ns(void)
{
    uint64_t first = ticks();
    double begin = now_seconds(), end;
    do
        end = now_seconds();
    while (end - begin < TICKS_SECONDS);
    return (double)(ticks() - first) / (1e9 * (end - begin));
}

/* What one wait takes: the fastest batch, since others were disturbed. */
static double call_ns(uint64_t delay)
{
    double best = 1e18;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = now_seconds();
        for (int call = 0; call < CALLS; call++)
            wait_for(delay);
        double ns = (now_seconds() - start) * 1e9 / (double)CALLS;
        best = ns < best ? ns : best;
    }
    return best;
}

/* The ticks of the nanoseconds that a variable has; short ones corrected by what such waits take. */
static uint64_t delay_of(const char *name)
{
    double ns = variable_number(name, 0);
    if (ns <= 0)
        return 0;
    double delay = ns * ticks_per_ns();
    for (int i = 0; i < CORRECTIONS && ns < LONG_NS; i++)
        delay *= ns / call_ns((uint64_t)delay);
    return (uint64_t)delay;
}

/* Before main. */
__attribute__((constructor)) static void calibrate(void)
{
    notes_ends = getenv("POLLUX_DOUBLE_WAKE") != NULL;
    if (!runtime_is_meant())
        return;
    creation = delay_of("POLLUX_DOUBLE_CREATION");
    item = delay_of("POLLUX_DOUBLE_ITEM");
    release = delay_of("POLLUX_DOUBLE_RELEASE");
    wake = delay_of("POLLUX_DOUBLE_WAKE");
}

void add_creation(void)
{
    wait_for(creation);
}

void add_items(size_t items)
{
    for (size_t i = 0; i < items; i++)
        wait_for(item);
}

void add_wake_up(bool created_elsewhere)
{
    if (notes_ends && created_elsewhere && now_seconds() - last_end > ASLEEP_SECONDS)
        wait_for(wake);
}

void add_release(void)
{
    wait_for(release);
    if (notes_ends)
        last_end = now_seconds();
}

void before_creation(size_t items)
{
    add_creation();
    add_items(items);
}

void run_task(const struct task *task)
{
    add_wake_up(!task->at_home);
    run_body(task);
    add_release();
}
