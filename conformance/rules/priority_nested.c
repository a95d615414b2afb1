/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks with priorities that wait for children with lower ones all come to an end. */
#include "conformance/rule.h"

enum { INPUT = 7, OUTPUT = 13 };

/* A thread that waits here may run descendants of its own task only: tasks of higher priority that
 * are ready elsewhere must not keep it from running these. */
static int fibonacci(int n)
{
    int a = 0;
    int b = 0;
    if (n < 2)
        return n;
#pragma omp task firstprivate(n) shared(a) priority(n)
    a = fibonacci(n - 1);
#pragma omp task firstprivate(n) shared(b) priority(n)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void submit(struct trial *trial, void *data)
{
    int *result = data;
    (void)trial;
    result[0] = fibonacci(INPUT);
}

static void attempt(struct trial *trial)
{
    int result = 0;
    on_single(trial, submit, &result);
    if (result != OUTPUT)
        trial_broken(trial, "the Fibonacci number %d came out as %d instead of %d", INPUT, result,
                     OUTPUT);
}

const struct rule rule = {.name = "priority-nested",
                          .statement = "Tasks with priorities may create tasks with lower ones and "
                                       "wait for them.",
                          .source = "OpenMP 5.2, 12.4 and 12.9",
                          .variable = "OMP_MAX_TASK_PRIORITY=64",
                          .attempt = attempt};
