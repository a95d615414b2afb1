/* SPDX-License-Identifier: BSD-3-Clause
 * With strict, the tasks of a taskloop have exactly the size or number requested. */
#include "conformance/rules/taskloop.h"

/* place[i]: the number of iteration i among those of its task, from 1; 0 if it did not run. */
struct loop {
    int place[ITERATIONS_MAX];
};

/* All tasks are of the size, but for the last, which has the rest. */
static void run_grainsize(struct trial *trial, struct loop *loop, size_t iterations, int grain)
{
    *loop = (struct loop){.place = {0}};
    int place = 0;
#pragma omp taskloop firstprivate(loop, place) grainsize(strict : grain)
    for (size_t i = 0; i < iterations; i++)
        shared_set(&loop->place[i], ++place);
    int full = (int)iterations / grain;
    int rest = (int)iterations % grain;
    if (tasks_with(loop->place, iterations, grain) != full ||
        tasks_with(loop->place, iterations, grain + 1) ||
        (rest && tasks_with(loop->place, iterations, rest) != full + 1))
        trial_broken(trial,
                     "grainsize(strict: %d) of %zu iterations made %d tasks instead of %d, or "
                     "of other sizes",
                     grain, iterations, tasks_with(loop->place, iterations, 1), full + (rest > 0));
}

/* No task has more than one iteration more than another. */
static void run_num_tasks(struct trial *trial, struct loop *loop, size_t iterations, int wanted)
{
    *loop = (struct loop){.place = {0}};
    int place = 0;
#pragma omp taskloop firstprivate(loop, place) num_tasks(strict : wanted)
    for (size_t i = 0; i < iterations; i++)
        shared_set(&loop->place[i], ++place);
    int tasks = (size_t)wanted < iterations ? wanted : (int)iterations;
    int least = (int)iterations / tasks;
    if (tasks_with(loop->place, iterations, 1) != tasks ||
        tasks_with(loop->place, iterations, least) != tasks ||
        tasks_with(loop->place, iterations, least + 1) != (int)iterations % tasks)
        trial_broken(trial,
                     "num_tasks(strict: %d) of %zu iterations made %d tasks instead of %d, or "
                     "of unequal sizes",
                     wanted, iterations, tasks_with(loop->place, iterations, 1), tasks);
}

static void submit(struct trial *trial, void *data)
{
    struct loop *loop = data;
    for (int i = 0; i < 6; i++) {
        size_t iterations = 1 + trial_random(trial, ITERATIONS_MAX);
        run_grainsize(trial, loop, iterations, 1 + (int)trial_random(trial, 40));
        run_num_tasks(trial, loop, iterations, 1 + (int)trial_random(trial, 40));
    }
}

static void attempt(struct trial *trial)
{
    struct loop loop;
    on_single(trial, submit, &loop);
}

const struct rule rule = {.name = "taskloop-strict",
                          .statement = "With strict, all tasks of a taskloop have the grainsize "
                                       "but the last, and num_tasks gives equal tasks.",
                          .source = "OpenMP 5.2, 12.6.1 and 12.6.2",
                          .attempt = attempt};
