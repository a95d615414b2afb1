/* SPDX-License-Identifier: BSD-3-Clause
 * The forms: pragmas, and calls of what measure.c has. */
#include "micro/regions/form.h"

#include "common/identity/capabilities.h"

void loops_run_outer(struct loops *loops)
{
    int team = (int)loops->team;
    size_t outer = loops->outer;
#pragma omp parallel for num_threads(team) schedule(static) firstprivate(loops, outer)
    for (size_t i = 0; i < outer; i++)
        if (i == 0)
            loops_note_outer_team(loops);
}

static void run_flat(struct loops *loops)
{
    int team = (int)loops->team;
    size_t outer = loops->outer;
#pragma omp parallel for num_threads(team) schedule(static) firstprivate(loops, outer)
    for (size_t i = 0; i < outer; i++) {
        if (i == 0)
            loops_note_outer_team(loops);
        loops_iterate(loops, i, 0);
    }
}

static void run_inner_region(struct loops *loops, size_t i)
{
    int team = (int)loops->inner;
    size_t inner = loops->inner;
#pragma omp parallel for num_threads(team) schedule(static) firstprivate(loops, inner, i)
    for (size_t j = 0; j < inner; j++) {
        if (j == 0)
            loops_note_inner_team(loops, i);
        loops_iterate(loops, i, j);
    }
}

static void run_parallel(struct loops *loops)
{
    int team = (int)loops->team;
    size_t outer = loops->outer;
#pragma omp parallel for num_threads(team) schedule(static) firstprivate(loops, outer)
    for (size_t i = 0; i < outer; i++) {
        if (i == 0)
            loops_note_outer_team(loops);
        run_inner_region(loops, i);
    }
}

#ifdef POLLUX_HAVE_TASKLOOP

static void run_taskloop(struct loops *loops)
{
    int team = (int)loops->team;
    size_t outer = loops->outer, inner = loops->inner;
#pragma omp parallel for num_threads(team) schedule(static) firstprivate(loops, outer, inner)
    for (size_t i = 0; i < outer; i++) {
        if (i == 0)
            loops_note_outer_team(loops);
#pragma omp taskloop grainsize(1) firstprivate(loops, i)
        for (size_t j = 0; j < inner; j++)
            loops_iterate(loops, i, j);
    }
}

#else
#define run_taskloop NULL
#endif

static void run_tasks(struct loops *loops, size_t i)
{
    size_t inner = loops->inner;
    for (size_t j = 0; j < inner; j++) {
#pragma omp task firstprivate(loops, i, j)
        loops_iterate(loops, i, j);
    }
#pragma omp taskwait
}

static void run_task(struct loops *loops)
{
    int team = (int)loops->team;
    size_t outer = loops->outer;
#pragma omp parallel for num_threads(team) schedule(static) firstprivate(loops, outer)
    for (size_t i = 0; i < outer; i++) {
        if (i == 0)
            loops_note_outer_team(loops);
        run_tasks(loops, i);
    }
}

/* Each names what it writes, which no other does. */
static void run_tasks_with_items(struct loops *loops, size_t i)
{
    size_t inner = loops->inner;
    for (size_t j = 0; j < inner; j++) {
        struct inner_cell *cell = &loops->cells[i * inner + j];
#pragma omp task firstprivate(loops, i, j) depend(inout : cell[0])
        loops_iterate(loops, i, j);
    }
#pragma omp taskwait
}

static void run_depend(struct loops *loops)
{
    int team = (int)loops->team;
    size_t outer = loops->outer;
#pragma omp parallel for num_threads(team) schedule(static) firstprivate(loops, outer)
    for (size_t i = 0; i < outer; i++) {
        if (i == 0)
            loops_note_outer_team(loops);
        run_tasks_with_items(loops, i);
    }
}

const struct form forms[] = {
    {.name = "flat",
     .summary = "the outer loop alone: one parallel region",
     .flat = true,
     .run = run_flat},
    {.name = "parallel",
     .summary = "a parallel region for each inner loop, inside that of the outer loop",
     .needs = CAPABILITY_NESTED_REGIONS,
     .regions = true,
     .run = run_parallel},
    {.name = "taskloop",
     .summary = "a taskloop for each inner loop",
     .needs = CAPABILITY_TASKLOOP | CAPABILITY_NESTED_TASKS,
     .run = run_taskloop},
    {.name = "task",
     .summary = "a task for each inner iteration",
     .needs = CAPABILITY_NESTED_TASKS,
     .run = run_task},
    {.name = "depend",
     .summary = "a task with a depend item for each inner iteration",
     .needs = CAPABILITY_NESTED_TASKS | CAPABILITY_NESTED_DEPENDENCES,
     .run = run_depend},
    {0}};
