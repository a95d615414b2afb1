/* SPDX-License-Identifier: BSD-3-Clause
 * Marks are read and written as atomics: where a runtime breaks the order they are accessed at once, and that
 * must be found, not be undefined. Dependences alone order them. */
#include "micro/run.h"

#include <omp.h>
#include <sched.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/processor.h"

/* The time in which another thread picks up the first task, if it does at all. */
static const double PATIENCE_SECONDS = 0.02;

/* Tasks of a sample. */
enum { SAMPLE = 64 };

/* Rounds of waiting before the thread gives its processor to another. */
enum { SPINS = 20000 };

static void report_fault(struct run *run, size_t task, size_t missing)
{
    if (__atomic_fetch_add(&run->faults, 1, __ATOMIC_SEQ_CST) == 0) {
        run->faulty = task;
        run->missing = missing;
    }
}

static void look_for_predecessors(struct run *run, size_t task)
{
    const struct graph *graph = run->graph;
    for (size_t e = graph->first[task]; e < graph->first[task + 1]; e++) {
        size_t before = graph->predecessor[e];
        if (__atomic_load_n(&run->cells[before].ended, __ATOMIC_RELAXED) == 0) {
            report_fault(run, task, before);
            return;
        }
    }
}

/* Two that begin at the very same moment are told apart only where times are taken: elsewhere, an atomic addition would
 * be a considerable part of a task.
 * @return how often the task has begun before */
static int note_begin(const struct run *run, struct cell *cell)
{
    if (run->timed)
        return __atomic_fetch_add(&cell->begun, 1, __ATOMIC_RELAXED);
    int before = __atomic_load_n(&cell->begun, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->begun, before + 1, __ATOMIC_RELAXED);
    return before;
}

void run_task(struct run *run, size_t task)
{
    struct cell *cell = &run->cells[task];
    if (run->timed)
        cell->begin_ns = now_ns(CLOCK_MONOTONIC);
    if (__atomic_load_n(&run->open, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&run->early, 1, __ATOMIC_RELAXED);
    look_for_predecessors(run, task);
    if (note_begin(run, cell) != 0)
        report_fault(run, task, task);
    if (run->work)
        run->work(run->work_argument);
    __atomic_store_n(&cell->ended, 1, __ATOMIC_RELAXED);
    if (run->timed) {
        cell->thread = omp_get_thread_num();
        cell->end_ns = now_ns(CLOCK_MONOTONIC);
    }
}

void run_require(struct run *run, size_t task, size_t ended)
{
    if (__atomic_load_n(&run->cells[ended].ended, __ATOMIC_RELAXED) == 0)
        report_fault(run, task, ended);
}

void run_task_alone(struct run *run, size_t task)
{
    if (__atomic_fetch_add(&run->inside, 1, __ATOMIC_RELAXED) != 0)
        __atomic_store_n(&run->together, 1, __ATOMIC_RELAXED);
    run_task(run, task);
    __atomic_fetch_sub(&run->inside, 1, __ATOMIC_RELAXED);
}

int run_pause(int round)
{
    if (round >= SPINS)
        sched_yield();
    processor_pause();
    return round < SPINS ? round + 1 : round;
}

void run_hold(struct run *run)
{
    if (omp_get_thread_num() == run->creator)
        return;
    __atomic_store_n(&run->held, 1, __ATOMIC_RELEASE);
    for (int round = 0; __atomic_load_n(&run->open, __ATOMIC_ACQUIRE) == 0;)
        round = run_pause(round);
}

void run_pass_on(struct run *run)
{
    (void)run;
}

void run_open(struct run *run)
{
    __atomic_store_n(&run->open, 1, __ATOMIC_RELEASE);
}

void run_await_holder(struct run *run)
{
    double end = now_seconds() + PATIENCE_SECONDS;
    if (omp_get_num_threads() == 1)
        return;
    while (__atomic_load_n(&run->held, __ATOMIC_ACQUIRE) == 0 && now_seconds() < end)
        run_pause(0);
}

double run_ended_share(const struct run *run)
{
    size_t tasks = run->graph->tasks, step = tasks / SAMPLE | 1, looked = 0, ended = 0;
    for (size_t t = 0; t < tasks; t += step) {
        looked++;
        ended += __atomic_load_n(&run->cells[t].ended, __ATOMIC_RELAXED) != 0;
    }
    return (double)ended / (double)looked;
}

void run_reset(struct run *run)
{
    memset(run->cells, 0, run->graph->tasks * sizeof *run->cells);
    run->open = run->held = run->early = 0;
    run->inside = run->together = 0;
    run->faults = 0;
}

bool run_passed(struct run *run)
{
    for (size_t t = 0; t < run->graph->tasks; t++)
        if (run->cells[t].ended == 0)
            report_fault(run, t, t);
    return run->faults == 0 && !run->together;
}
