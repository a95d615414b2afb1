/* SPDX-License-Identifier: BSD-3-Clause
 * CLOMP's loops as tasks: one thread of a team creates them, all run them. */
#include "common/execution/team.h"
#include "micro/clomp/schedules.h"

static void task_loop(void *context)
{
    struct clomp_run *run = context;
    size_t partitions = run->mesh->shape.partitions;
    mesh_deposit(run->mesh);
    for (size_t p = 0; p < partitions; p++) {
#pragma omp task firstprivate(run, p)
        mesh_update(run->mesh, p);
    }
#pragma omp taskwait
}

static void submit_tasks(void *argument)
{
    struct clomp_run *run = argument;
    clomp_cycles(run->cycles, task_loop, run);
}

static void run_task(struct clomp_run *run)
{
    team_time(run->threads, submit_tasks, run, NULL);
}

/* The deposit waits for all updates with the deposit before, which read that one. */
static void depend_loop(void *context)
{
    struct clomp_run *run = context;
    size_t partitions = run->mesh->shape.partitions;
    double *deposit = &run->mesh->deposits.value;
#pragma omp task firstprivate(run) depend(inout : deposit[0])
    mesh_deposit(run->mesh);
    for (size_t p = 0; p < partitions; p++) {
        struct partition *partition = run->mesh->partition[p];
#pragma omp task firstprivate(run, p) depend(in : deposit[0]) depend(inout : partition[0])
        mesh_update(run->mesh, p);
    }
}

/* The tasks of a cycle are created in advance. Those of all cycles would take memory without bound. */
static void submit_depend(void *argument)
{
    struct clomp_run *run = argument;
    for (size_t cycle = 0; cycle < run->cycles; cycle++) {
        clomp_cycles(1, depend_loop, run);
#pragma omp taskwait
    }
}

static void run_depend(struct clomp_run *run)
{
    team_time(run->threads, submit_depend, run, NULL);
}

#ifdef POLLUX_HAVE_TASKLOOP

static void taskloop_loop(void *context)
{
    struct clomp_run *run = context;
    size_t partitions = run->mesh->shape.partitions;
    mesh_deposit(run->mesh);
#pragma omp taskloop firstprivate(run)
    for (size_t p = 0; p < partitions; p++)
        mesh_update(run->mesh, p);
}

static void submit_taskloop(void *argument)
{
    struct clomp_run *run = argument;
    clomp_cycles(run->cycles, taskloop_loop, run);
}

static void run_taskloop(struct clomp_run *run)
{
    team_time(run->threads, submit_taskloop, run, NULL);
}

#else
#define run_taskloop NULL
#endif

const struct clomp_schedule clomp_task = {.name = "task",
                                          .summary = "a task for each partition, and taskwait",
                                          .kind = CLOMP_EXACT,
                                          .waiting = 1,
                                          .run = run_task};

const struct clomp_schedule clomp_depend = {
    .name = "depend",
    .summary = "tasks with dependences, for deposits too; taskwait after ten loops",
    .kind = CLOMP_EXACT,
    .waiting = LOOPS_IN_CYCLE,
    .run = run_depend};

const struct clomp_schedule clomp_taskloop = {
    .name = "taskloop",
    .summary = "taskloop, with as many tasks as the runtime chooses",
    .needs = CAPABILITY_TASKLOOP,
    .kind = CLOMP_EXACT,
    .waiting = 1,
    .run = run_taskloop};
