/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks that take part in the reduction of a taskgroup lose no contribution. */
#include "conformance/gate.h"

enum { TASKS = 60, BUSY_MICROSECONDS = 10 };

struct result {
    int sum, greatest;
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Of the first two tasks each reads the variable before the other writes it: one that they share
 * would lose a number. */
static void take_time(struct trial *trial, int *gate, int task)
{
    if (task <= 2)
        gate_pass(trial, gate);
    keep_busy_randomly(trial, (size_t)task, BUSY_MICROSECONDS);
}

/* Every task adds its number, and a child of every third adds it again. */
static struct result reduce(struct trial *trial)
{
    int sum = 1;
    int greatest = 0;
    int storage = 0;
    int *gate = &storage;
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(max : greatest)
    {
        for (int i = 1; i <= TASKS; i++) {
#pragma omp task firstprivate(trial, gate, i) \
    in_reduction(+ : sum) \
    in_reduction(max : greatest)
            {
                int before = sum;
                take_time(trial, gate, i);
                sum = before + i;
                greatest = larger(greatest, i);
                if (i % 3 == 0) {
#pragma omp task firstprivate(i) in_reduction(+ : sum)
                    sum += i;
                }
            }
        }
    }
    return (struct result){sum, greatest};
}

static void submit(struct trial *trial, void *data)
{
    struct result *result = data;
    result[0] = reduce(trial);
}

static void attempt(struct trial *trial)
{
    int expected = 1;
    struct result result = {0, 0};
    for (int i = 1; i <= TASKS; i++)
        expected += i % 3 == 0 ? 2 * i : i;
    on_single(trial, submit, &result);
    if (result.sum != expected)
        trial_broken(trial, "the sum over a taskgroup is %d instead of %d", result.sum, expected);
    if (result.greatest != TASKS)
        trial_broken(trial, "the maximum over a taskgroup is %d instead of %d", result.greatest,
                     TASKS);
}

const struct rule rule = {.name = "task-reduction",
                          .statement = "At the end of a taskgroup with task_reduction its variable "
                                       "holds what all tasks with in_reduction contributed.",
                          .source = "OpenMP 5.2, 5.5.9 and 5.5.10",
                          .attempt = attempt};
