/* SPDX-License-Identifier: BSD-3-Clause
 * Parallel regions around tasks. OmpSs has none: its threads exist from the start, and one task per thread
 * takes the place of a region. */
#include "common/execution/team.h"

#include <ctype.h>
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/control_groups.h"
#include "common/base/limits.h"
#include "common/base/message.h"
#include "common/base/system_file.h"
#include "common/base/turns.h"

#pragma weak omp_get_max_active_levels /* some runtimes lack it */

/* Whether the first number of a list such as "8,2" is a number of threads; runtimes replace others by
 * one of their own choice, without a word. */
static bool is_possible(const char *list)
{
    char *end;
    const char *digits = list + strspn(list, " \t");
    unsigned long long threads = strtoull(digits, &end, 10);
    end += strspn(end, " \t");
    return isdigit((unsigned char)*digits) && threads >= 1 && threads <= THREADS_MAX &&
           (*end == '\0' || *end == ',');
}

void team_check_environment(void)
{
    const char *requested = getenv("OMP_NUM_THREADS");
    if (requested && !is_possible(requested))
        message_fatal(POLLUX_USAGE, "OMP_NUM_THREADS=%s: must be an integer from 1 to %d",
                      quoted(requested).text, THREADS_MAX);
}

/* The team that the runtime would start. */
static size_t usual_threads(void)
{
    int threads = omp_get_max_threads();
    if (threads < 1 || threads > THREADS_MAX)
        message_fatal(POLLUX_USAGE,
                      "the runtime would start %d threads: set OMP_NUM_THREADS to a number from 1 "
                      "to %d",
                      threads, THREADS_MAX);
    return (size_t)threads;
}

/* A team of more threads than its control group has processors' time for is stopped in the middle of tasks, again and
 * again. */
static size_t within(double quota, size_t threads)
{
    if (quota >= (double)threads)
        return threads;
    return quota >= 1.0 ? (size_t)quota : 1;
}

static bool is_requested(void)
{
    return getenv("OMP_NUM_THREADS") != NULL;
}

size_t team_within_quota(size_t threads)
{
    return within(control_groups_quota(system_root()), threads);
}

size_t team_default_threads(void)
{
    team_check_environment();
    size_t usual = usual_threads();
    return is_requested() ? usual : team_within_quota(usual);
}

void team_explain_default(void)
{
    double quota = control_groups_quota(system_root());
    size_t usual = usual_threads(), fitting = within(quota, usual);
    if (fitting < usual && !is_requested())
        message_warning("%zu thread%s, not %zu, because of a CPU quota of %.3g processors; "
                        "--threads overrides it",
                        fitting, plural(fitting), usual, quota);
}

/* The variable that keeps teams small; with no active levels, every team is of one thread. */
static const char *limiting_variable(void)
{
    bool no_levels = omp_get_max_active_levels && omp_get_max_active_levels() < 1;
    return no_levels ? "OMP_MAX_ACTIVE_LEVELS" : "OMP_THREAD_LIMIT";
}

void team_require_given(size_t given, size_t requested)
{
    if (given != requested)
        message_fatal(POLLUX_MACHINE,
                      "the runtime gave %zu of %zu threads: raise %s, or request fewer with "
                      "--threads",
                      given, requested, limiting_variable());
}

static void time_tasks(struct team_run *run, void (*submit)(void *argument), void *argument,
                       const struct team_hooks *hooks)
{
    run->submitter = (size_t)omp_get_thread_num();
    if (hooks)
        hooks->before(hooks->argument);
    run->start_ns = now_ns(CLOCK_MONOTONIC);
    submit(argument);
    run->submitted_ns = now_ns(CLOCK_MONOTONIC);
#pragma omp taskwait
    run->end_ns = now_ns(CLOCK_MONOTONIC);
    if (hooks)
        hooks->after(hooks->argument);
}

#ifdef _OMPSS

/* Nanos++ starts a change only when the previous one is complete: after the second call, threads
 * that were to leave have left. Without the step to one thread, thread numbers may stay above
 * the thread count.
 * @return the threads there are now */
static size_t set_threads(size_t threads)
{
    if ((size_t)omp_get_num_threads() != threads) {
        omp_set_num_threads(1);
        omp_set_num_threads(1);
        omp_set_num_threads((int)threads);
        omp_set_num_threads((int)threads);
    }
    return (size_t)omp_get_num_threads();
}

struct team_run team_time(size_t threads, void (*submit)(void *argument), void *argument,
                          const struct team_hooks *hooks)
{
    struct team_run run = {.threads = set_threads(threads)};
    if (run.threads == threads)
        time_tasks(&run, submit, argument, hooks);
    return run;
}

/* What the tasks of team_each share. */
struct each {
    void (*function)(void *argument, size_t thread);
    void *argument;
    size_t threads;
    size_t arrived;
};

/* The tasks wait for each other, so that no thread runs two of them. The wait is bounded, since
 * Nanos++ can be configured to run tasks at their creation. */
static const int64_t PATIENCE_NS = 1000000000;

static void call_with_the_others(struct each *each, size_t thread)
{
    int64_t end = now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    __atomic_add_fetch(&each->arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&each->arrived, __ATOMIC_SEQ_CST) < each->threads &&
           now_ns(CLOCK_MONOTONIC) < end)
        sched_yield();
    each->function(each->argument, thread);
}

size_t team_each(size_t threads, void (*function)(void *argument, size_t thread), void *argument)
{
    size_t team = set_threads(threads);
    struct each storage = {function, argument, team, 0};
    struct each *each = &storage;
    for (size_t thread = 0; thread < team; thread++) {
#pragma omp task firstprivate(each, thread)
        call_with_the_others(each, thread);
    }
#pragma omp taskwait
    return team;
}

#else

/* The threads that do not create tasks run them while they wait at the end of `single`. */
struct team_run team_time(size_t threads, void (*submit)(void *argument), void *argument,
                          const struct team_hooks *hooks)
{
    struct team_run run = {0};
    int count = (int)threads;
#pragma omp parallel num_threads(count) shared(run, submit, argument, threads, hooks)
    {
#pragma omp barrier
#pragma omp single
        {
            run.threads = (size_t)omp_get_num_threads();
            if (run.threads == threads)
                time_tasks(&run, submit, argument, hooks);
        }
    }
    return run;
}

size_t team_each(size_t threads, void (*function)(void *argument, size_t thread), void *argument)
{
    int count = (int)threads;
    size_t team = 0;
#pragma omp parallel num_threads(count) shared(function, argument, team)
    {
        size_t thread = (size_t)omp_get_thread_num();
        if (thread == 0)
            team = (size_t)omp_get_num_threads();
        function(argument, thread);
    }
    return team;
}

#endif

static void nothing(void *argument, size_t thread)
{
    (void)argument;
    (void)thread;
}

void team_wake(size_t threads)
{
    team_require_given(team_each(threads, nothing, NULL), threads);
}

void team_await_turn(size_t threads)
{
    if (turn_await())
        team_wake(threads);
}
