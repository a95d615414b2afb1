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

#include <stdlib.h>

#include "common/base/clock.h"
#include "meant.h"
#include "task.h"

enum { CALLS = 200, BATCHES = 50, CORRECTIONS = 4, FIRST_ROUNDS = 100000 };

/* A delay that is measured by the clock, or as rounds of an empty loop where it is short: reading a clock would take a
 * fifth of the shortest, and rounds take longer or shorter than meant where the processor's speed changes. */
struct delay {
    double seconds, rounds;
};

static const double BY_CLOCK_NS = 10000; /* from which on the clock measures */

static struct delay creation, item, release, wake;

/* Whether threads note the ends of their tasks, also where waking up takes no longer. */
static bool notes_ends;

static const double ASLEEP_SECONDS = 20e-6; /* after which a thread counts as asleep */
static _Thread_local double last_end;

static void wait_rounds(double rounds)
{
    for (long left = (long)rounds; left > 0; left--)
        __asm__ volatile("");
}

/* What one call of wait_rounds takes: the fastest batch, since others were disturbed. */
static double call_ns(double rounds, int calls)
{
    double best = 1e18;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = now_seconds();
        for (int call = 0; call < calls; call++)
            wait_rounds(rounds);
        double ns = (now_seconds() - start) * 1e9 / calls;
        best = ns < best ? ns : best;
    }
    return best;
}

/* Corrected by what calls with so many rounds take. */
static double rounds_of(double ns)
{
    double rounds = ns * (double)FIRST_ROUNDS / call_ns(FIRST_ROUNDS, 1);
    for (int i = 0; i < CORRECTIONS; i++)
        rounds *= ns / call_ns(rounds, CALLS);
    return rounds;
}

/* The delay whose nanoseconds a variable has. */
static struct delay delay_of(const char *name)
{
    double ns = variable_number(name, 0);
    if (ns <= 0)
        return (struct delay){0};
    return ns < BY_CLOCK_NS ? (struct delay){.rounds = rounds_of(ns)}
                            : (struct delay){.seconds = 1e-9 * ns};
}

static void wait_for(struct delay delay)
{
    wait_rounds(delay.rounds);
    if (delay.seconds > 0)
        for (double end = now_seconds() + delay.seconds; now_seconds() < end;)
            continue;
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
