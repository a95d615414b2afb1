/* SPDX-License-Identifier: BSD-3-Clause
 * Parallel regions around tasks. OmpSs has none: its threads are there from the start. */
#include "common/team.h"

#include <omp.h>
#include <time.h>

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_tasks(void (*submit)(void *argument), void *argument)
{
    double start = now_seconds();
    submit(argument);
#pragma omp taskwait
    return now_seconds() - start;
}

#ifdef _OMPSS

struct team_run team_time(size_t threads, void (*submit)(void *argument), void *argument)
{
    struct team_run run = {(size_t)omp_get_max_threads(), 0.0};
    if (run.threads == threads)
        run.seconds = time_tasks(submit, argument);
    return run;
}

void team_each(size_t threads, void (*function)(void *argument, size_t thread), void *argument)
{
    (void)threads;
    function(argument, 0);
}

#else

/* The threads that do not create tasks run them while they wait at the end of `single`. */
struct team_run team_time(size_t threads, void (*submit)(void *argument), void *argument)
{
    struct team_run run = {0, 0.0};
    int count = (int)threads;
#pragma omp parallel num_threads(count) shared(run, submit, argument, threads)
    {
#pragma omp barrier
#pragma omp single
        {
            run.threads = (size_t)omp_get_num_threads();
            if (run.threads == threads)
                run.seconds = time_tasks(submit, argument);
        }
    }
    return run;
}

void team_each(size_t threads, void (*function)(void *argument, size_t thread), void *argument)
{
    int count = (int)threads;
#pragma omp parallel num_threads(count) shared(function, argument)
    function(argument, (size_t)omp_get_thread_num());
}

#endif
