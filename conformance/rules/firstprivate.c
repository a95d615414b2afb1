/* SPDX-License-Identifier: BSD-3-Clause
 * firstprivate variables hold what they held when the task was created, and belong to the task. */
#include "conformance/gate.h"

enum { TASKS = 100, LENGTH = 5 };

struct shape {
    int width, height;
    double area;
    char name[3];
};

static struct shape shape_of(int number)
{
    return (struct shape){number, 2 * number, 0.5 * number, {(char)(number % 100), 'a', 'b'}};
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->width == b->width && a->height == b->height && !(a->area < b->area) &&
           !(a->area > b->area) && a->name[0] == b->name[0] && a->name[1] == b->name[1] &&
           a->name[2] == b->name[2];
}

static void check(struct trial *trial, int task, struct shape found, const int *values)
{
    struct shape wanted = shape_of(task);
    if (!same_shape(&found, &wanted))
        trial_broken(trial, "task %d found another structure than at its creation", task);
    for (int i = 0; i < LENGTH; i++)
        if (values[i] != task + i)
            trial_broken(trial, "task %d found %d in an array that held %d at its creation", task,
                         values[i], task + i);
}

static void submit(struct trial *trial, void *data)
{
    int *gate = data;
    int storage = 0;
    int *item = &storage;
    struct shape shape = shape_of(0);
    int values[LENGTH] = {0};
#pragma omp task firstprivate(trial, gate) depend(out : item[0])
    gate_pass(trial, gate);
    for (int i = 0; i < TASKS; i++) {
        shape = shape_of(i);
        for (int k = 0; k < LENGTH; k++)
            values[k] = i + k;
#pragma omp task firstprivate(trial, i, shape, values) depend(in : item[0])
        {
            check(trial, i, shape, values);
            values[0] = -1;
            shape.width = -1;
        }
        if (shape.width != i || values[0] != i)
            trial_broken(trial, "task %d changed a variable of its creator", i);
    }
    shape = shape_of(-1);
    values[0] = -1;
    gate_pass(trial, gate);
#pragma omp taskwait
    if (shape.width != -1 || values[1] != TASKS)
        trial_broken(trial, "a task changed a variable of its creator");
}

static void attempt(struct trial *trial)
{
    int gate = 0;
    on_single(trial, submit, &gate);
}

const struct rule rule = {.name = "firstprivate",
                          .statement = "A firstprivate variable of a task has the value that the "
                                       "original had at the task's creation.",
                          .source = "OpenMP 5.2, 5.4.4",
                          .attempt = attempt};
