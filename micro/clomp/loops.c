/* SPDX-License-Identifier: BSD-3-Clause
 * CLOMP's loops as parallel loops, by hand in one parallel region, and its barriers alone. */
#include "common/execution/team.h"
#include "micro/clomp/schedules.h"

#if defined(POLLUX_HAVE_PARALLEL) && !defined(_OMPSS)

static void static_loop(void *context)
{
    struct clomp_run *run = context;
    long partitions = (long)run->mesh->shape.partitions;
    int threads = (int)run->threads;
    mesh_deposit(run->mesh);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (long p = 0; p < partitions; p++)
        mesh_update(run->mesh, (size_t)p);
}

static void run_static(struct clomp_run *run)
{
    clomp_cycles(run->cycles, static_loop, run);
}

static void dynamic_loop(void *context)
{
    struct clomp_run *run = context;
    long partitions = (long)run->mesh->shape.partitions;
    int threads = (int)run->threads;
    mesh_deposit(run->mesh);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (long p = 0; p < partitions; p++)
        mesh_update(run->mesh, (size_t)p);
}

static void run_dynamic(struct clomp_run *run)
{
    clomp_cycles(run->cycles, dynamic_loop, run);
}

static void manual_loop(void *context)
{
    const struct clomp_share *share = context;
#pragma omp single
    mesh_deposit(share->run->mesh);
    clomp_update_share(share);
#pragma omp barrier
}

static void manual_cycles(void *argument, size_t thread)
{
    struct clomp_run *run = argument;
    struct clomp_share share = clomp_share_of(run, thread);
    clomp_cycles(run->cycles, manual_loop, &share);
}

static void run_manual(struct clomp_run *run)
{
    team_each(run->threads, manual_cycles, run);
}

static void barrier_loop(void *context)
{
    (void)context;
#pragma omp barrier
}

/* The barriers of one thread. */
struct meeting {
    struct clomp_run *run;
    size_t number;
};

static void checked_barrier_loop(void *context)
{
    struct meeting *meeting = context;
    clomp_arrive(meeting->run);
#pragma omp barrier
    clomp_leave(meeting->run, ++meeting->number);
}

static void barrier_cycles(void *argument, size_t thread)
{
    struct clomp_run *run = argument;
    struct meeting meeting = {.run = run};
    (void)thread;
    clomp_cycles(run->cycles, run->meetings.checked ? checked_barrier_loop : barrier_loop,
                 &meeting);
}

static void run_barrier(struct clomp_run *run)
{
    run->meetings.team = team_each(run->threads, barrier_cycles, run);
}

#else
#define run_static NULL
#define run_dynamic NULL
#define run_manual NULL
#define run_barrier NULL
#endif

const struct clomp_schedule clomp_static = {.name = "static",
                                            .summary = "parallel for schedule(static)",
                                            .kind = CLOMP_EXACT,
                                            .run = run_static};

const struct clomp_schedule clomp_dynamic = {.name = "dynamic",
                                             .summary = "parallel for schedule(dynamic)",
                                             .kind = CLOMP_EXACT,
                                             .run = run_dynamic};

const struct clomp_schedule clomp_manual = {
    .name = "manual",
    .summary = "shares in one parallel region, with single and barrier",
    .kind = CLOMP_EXACT,
    .run = run_manual};

const struct clomp_schedule clomp_barrier = {.name = "barrier",
                                             .summary = "a barrier for each loop, and nothing else",
                                             .kind = CLOMP_NOTHING,
                                             .run = run_barrier};
