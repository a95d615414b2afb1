/* SPDX-License-Identifier: BSD-3-Clause
 * taskloop executes each iteration once, in tasks of the size or number requested, and waits. */
#include "conformance/rules/taskloop.h"

/* count[i]: how often iteration i ran; place[i]: its number among those of its task, from 1. */
struct loop {
    int count[ITERATIONS_MAX], place[ITERATIONS_MAX];
};

static void iterate(struct loop *loop, size_t i, int place)
{
    shared_add(&loop->count[i], 1);
    shared_set(&loop->place[i], place);
}

static void check_once(struct trial *trial, const struct loop *loop, size_t iterations)
{
    for (size_t i = 0; i < iterations; i++)
        if (shared_get(&loop->count[i]) != 1)
            trial_broken(trial, "iteration %zu of %zu ran %d times before the end of the taskloop",
                         i, iterations, shared_get(&loop->count[i]));
}

static void run_grainsize(struct trial *trial, struct loop *loop, size_t iterations, int grain)
{
    *loop = (struct loop){.count = {0}};
    int place = 0;
#pragma omp taskloop firstprivate(loop, place) grainsize(grain)
    for (size_t i = 0; i < iterations; i++)
        iterate(loop, i, ++place);
    check_once(trial, loop, iterations);
    int least = (size_t)grain < iterations ? grain : (int)iterations;
    int tasks = tasks_with(loop->place, iterations, 1);
    if (tasks_with(loop->place, iterations, least) != tasks ||
        tasks_with(loop->place, iterations, 2 * grain))
        trial_broken(trial,
                     "grainsize(%d) of %zu iterations gave a task fewer than %d or not fewer "
                     "than %d",
                     grain, iterations, least, 2 * grain);
}

static void run_num_tasks(struct trial *trial, struct loop *loop, size_t iterations, int wanted)
{
    *loop = (struct loop){.count = {0}};
    int place = 0;
#pragma omp taskloop firstprivate(loop, place) num_tasks(wanted)
    for (size_t i = 0; i < iterations; i++)
        iterate(loop, i, ++place);
    check_once(trial, loop, iterations);
    int expected = (size_t)wanted < iterations ? wanted : (int)iterations;
    if (tasks_with(loop->place, iterations, 1) != expected)
        trial_broken(trial, "num_tasks(%d) of %zu iterations made %d tasks", wanted, iterations,
                     tasks_with(loop->place, iterations, 1));
}

static void run_nogroup(struct trial *trial, struct loop *loop, size_t iterations)
{
    *loop = (struct loop){.count = {0}};
#pragma omp taskloop firstprivate(loop) nogroup
    for (size_t i = 0; i < iterations; i++)
        iterate(loop, i, 1);
#pragma omp taskwait
    check_once(trial, loop, iterations);
}

static void submit(struct trial *trial, void *data)
{
    struct loop *loop = data;
    for (int i = 0; i < 6; i++) {
        size_t iterations = 1 + trial_random(trial, ITERATIONS_MAX);
        run_grainsize(trial, loop, iterations, 1 + (int)trial_random(trial, 40));
        run_num_tasks(trial, loop, iterations, 1 + (int)trial_random(trial, 40));
        run_nogroup(trial, loop, iterations);
    }
}

static void attempt(struct trial *trial)
{
    struct loop loop;
    on_single(trial, submit, &loop);
}

const struct rule rule = {.name = "taskloop",
                          .statement = "taskloop executes each iteration once, waits for all of "
                                       "them, and keeps to grainsize and num_tasks.",
                          .source = "OpenMP 5.2, 12.6",
                          .attempt = attempt};
