/* SPDX-License-Identifier: BSD-3-Clause
 * The order of the loops, and the schedules without directives. */
#include "micro/clomp/schedules.h"

#include "common/execution/team.h"

const struct clomp_schedule *const clomp_schedules[] = {
    &clomp_serial,   &clomp_best_case, &clomp_static, &clomp_dynamic, &clomp_manual,
    &clomp_taskloop, &clomp_task,      &clomp_depend, &clomp_barrier, NULL};

/* The loops of an application are spread over its packages: modules of one loop, of two, three and four. */
enum { MODULES = 4 };

void clomp_cycles(size_t cycles, void (*loop)(void *context), void *context)
{
    for (size_t cycle = 0; cycle < cycles; cycle++)
        for (size_t module = 1; module <= MODULES; module++)
            for (size_t l = 0; l < module; l++)
                loop(context);
}

void clomp_arrive(struct clomp_run *run)
{
    __atomic_add_fetch(&run->meetings.arrived, 1, __ATOMIC_RELAXED);
}

/* Of two threads that leave too early, either may be noted. */
void clomp_leave(struct clomp_run *run, size_t number)
{
    struct clomp_meetings *meetings = &run->meetings;
    size_t none = 0;
    if (__atomic_load_n(&meetings->arrived, __ATOMIC_RELAXED) < number * run->threads)
        __atomic_compare_exchange_n(&meetings->early, &none, number, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

struct clomp_share clomp_share_of(struct clomp_run *run, size_t thread)
{
    struct clomp_share share = {.run = run};
    mesh_share(run->mesh, thread, &share.begin, &share.end);
    return share;
}

void clomp_update_share(const struct clomp_share *share)
{
    for (size_t p = share->begin; p < share->end; p++)
        mesh_update(share->run->mesh, p);
}

static void serial_loop(void *context)
{
    struct clomp_run *run = context;
    mesh_deposit(run->mesh);
    for (size_t p = 0; p < run->mesh->shape.partitions; p++)
        mesh_update(run->mesh, p);
}

static void run_serial(struct clomp_run *run)
{
    clomp_cycles(run->cycles, serial_loop, run);
}

const struct clomp_schedule clomp_serial = {.name = "serial",
                                            .summary = "on one thread, without OpenMP",
                                            .kind = CLOMP_EXACT,
                                            .run = run_serial};

static void best_case_loop(void *context)
{
    clomp_update_share(context);
}

static void best_case_cycles(void *argument, size_t thread)
{
    struct clomp_run *run = argument;
    struct clomp_share share = clomp_share_of(run, thread);
    clomp_cycles(run->cycles, best_case_loop, &share);
}

static void run_best_case(struct clomp_run *run)
{
    team_each(run->threads, best_case_cycles, run);
}

const struct clomp_schedule clomp_best_case = {
    .name = "best-case",
    .summary = "shares of the partitions without synchronization: wrong values, a bound",
    .kind = CLOMP_BOUND,
    .run = run_best_case};
