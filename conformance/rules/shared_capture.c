/* SPDX-License-Identifier: BSD-3-Clause
 * A shared variable of a task is the original, also where the task only reads it. */
#include "conformance/gate.h"

enum { TASKS = 60, LENGTH = 4 };

struct pair {
    int first, second;
};

static void check(struct trial *trial, const char *what, int found, int wanted)
{
    if (found != wanted)
        trial_broken(trial, "a task found %d in a shared %s that held %d", found, what, wanted);
}

/* Task i finds what task i - 1 wrote: none of it was there when the tasks were created. */
static void submit(struct trial *trial, void *data)
{
    int *gate = data;
    int storage = 0;
    int *item = &storage;
    int number = -1;
    int last = -1;
    struct pair pair = {-1, -1};
    int values[LENGTH] = {-1, -1, -1, -1};
#pragma omp task firstprivate(trial, gate) shared(number, pair, values) depend(out : item[0])
    {
        gate_pass(trial, gate);
        number = 0;
        pair = (struct pair){0, 0};
        for (int i = 0; i < LENGTH; i++)
            values[i] = 0;
    }
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(trial, i) shared(number, pair, values) depend(in : item[0])
        {
            check(trial, "integer", number, i);
            check(trial, "structure", pair.second, 2 * i);
            check(trial, "array", values[i % LENGTH], i);
        }
#pragma omp task firstprivate(i) shared(number, pair, values, last) depend(inout : item[0])
        {
            number = i + 1;
            pair.second = 2 * (i + 1);
            for (int k = 0; k < LENGTH; k++)
                values[k] = i + 1;
            last = i;
        }
    }
    gate_pass(trial, gate);
#pragma omp taskwait
    check(trial, "integer", last, TASKS - 1);
}

static void attempt(struct trial *trial)
{
    int gate = 0;
    on_single(trial, submit, &gate);
}

const struct rule rule = {.name = "shared-capture",
                          .statement = "A shared variable of a task is the creator's own: what an "
                                       "earlier task wrote to it is seen.",
                          .source = "OpenMP 5.2, 5.4.2",
                          .attempt = attempt};
