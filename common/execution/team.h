/* SPDX-License-Identifier: BSD-3-Clause
 * Teams of threads: what the suite needs of parallel regions, apart from tasks and plain loops. */
#ifndef POLLUX_COMMON_TEAM_H
#define POLLUX_COMMON_TEAM_H

#include <stddef.h>
#include <stdint.h>

/** What a team did. */
struct team_run {
    size_t threads;       /**< of the team; if it is not the number requested, nothing was run */
    size_t submitter;     /**< the thread that created the tasks */
    int64_t start_ns;     /**< CLOCK_MONOTONIC; all threads have arrived before */
    int64_t submitted_ns; /**< when `submit` returned */
    int64_t end_ns;
};

/** What is called at the ends of a timed region, outside of it. */
struct team_hooks {
    void (*before)(void *argument);
    void (*after)(void *argument);
    void *argument;
};

/** Ends the program with one line and POLLUX_USAGE where OMP_NUM_THREADS is no number from 1 to THREADS_MAX.
 * libomp aborts on some of these when it starts, which is at the first call of one of its routines. */
void team_check_environment(void);

/** The threads of a team for which no number is requested, after the same check: OMP_NUM_THREADS, or else one for each
 * processor, but no more than fit into the control groups' CPU quota. */
size_t team_default_threads(void);

/** As many of these threads as fit into that quota, one at least. */
size_t team_within_quota(size_t threads);

/** A line on standard error where these are fewer because of the quota. */
void team_explain_default(void);

/** Calls submit(argument) on one thread of a team of `threads` while the others run tasks, and
 * waits for the tasks created. The measured time covers these two and nothing else.
 * @param[in] hooks called by that thread right before and after the measured time; NULL: nothing is */
struct team_run team_time(size_t threads, void (*submit)(void *argument), void *argument,
                          const struct team_hooks *hooks);

/** Calls function(argument, thread) on every thread of a team at once, `thread` from 0 up.
 * @return the threads of the team, which may be fewer than requested */
size_t team_each(size_t threads, void (*function)(void *argument, size_t thread), void *argument);

/** Ends the program with one line and POLLUX_MACHINE where the runtime gave a team fewer threads than requested. */
void team_require_given(size_t given, size_t requested);

/** Starts a team that does nothing, which wakes its threads; the same where it has fewer. */
void team_wake(size_t threads);

/** Waits for the turn of a repetition on so many threads. Those that slept while the process was stopped are woken, and
 * wait for work as they do after the repetition before; the same where the team has fewer. */
void team_await_turn(size_t threads);

#endif
