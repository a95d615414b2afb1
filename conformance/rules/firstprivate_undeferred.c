/* SPDX-License-Identifier: BSD-3-Clause
 * firstprivate variables of undeferred tasks, structures and arrays too, are right. */
#include "conformance/rule.h"

enum { TASKS = 100, LENGTH = 5 };

struct shape {
    int width, height, depth;
};

static void check(struct trial *trial, int task, const struct shape *shape, const int *values)
{
    if (shape->width != task || shape->height != 2 * task || shape->depth != 3 * task)
        trial_broken(trial, "undeferred task %d found another structure than at its creation",
                     task);
    for (int i = 0; i < LENGTH; i++)
        if (values[i] != task + i)
            trial_broken(trial, "undeferred task %d found %d in an array that held %d", task,
                         values[i], task + i);
}

static void submit(struct trial *trial, void *data)
{
    struct shape shape = {0, 0, 0};
    int values[LENGTH] = {0};
    (void)data;
    for (int i = 0; i < TASKS; i++) {
        shape = (struct shape){i, 2 * i, 3 * i};
        for (int k = 0; k < LENGTH; k++)
            values[k] = i + k;
#pragma omp task firstprivate(trial, i, shape, values) if (0)
        {
            check(trial, i, &shape, values);
            values[0] = -1;
            shape.width = -1;
        }
        if (shape.width != i || values[0] != i)
            trial_broken(trial, "undeferred task %d changed a variable of its creator", i);
    }
}

static void attempt(struct trial *trial)
{
    on_single(trial, submit, NULL);
}

const struct rule rule = {.name = "firstprivate-undeferred",
                          .statement = "A firstprivate variable of an undeferred task, if(0), is a "
                                       "copy of the original as well.",
                          .source = "OpenMP 5.2, 3.4 and 5.4.4",
                          .attempt = attempt};
