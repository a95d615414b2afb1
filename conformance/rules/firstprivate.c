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

static void fill(struct shape *shape, int *values, int number)
{
    *shape = shape_of(number);
    for (int i = 0; i < LENGTH; i++)
        values[i] = number + i;
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

/* Every task changes its copies, and nothing else. */
static void check_creator(struct trial *trial, int number, struct shape found, const int *values)
{
    struct shape wanted = shape_of(number);
    bool same = same_shape(&found, &wanted);
    for (int i = 0; i < LENGTH; i++)
        same &= values[i] == number + i;
    if (!same)
        trial_broken(trial, "a task changed a variable of its creator");
}

static void submit(struct trial *trial, void *data)
{
    int *gate = data;
    int storage = 0;
    int *item = &storage;
    struct shape shape;
    int values[LENGTH];
#pragma omp task firstprivate(trial, gate) depend(out : item[0])
    gate_pass(trial, gate);
    for (int i = 0; i < TASKS; i++) {
        fill(&shape, values, i);
#pragma omp task firstprivate(trial, i, shape, values) depend(in : item[0])
        {
            check(trial, i, shape, values);
            fill(&shape, values, -1);
        }
        check_creator(trial, i, shape, values);
    }
    fill(&shape, values, TASKS);
    gate_pass(trial, gate);
#pragma omp taskwait
    check_creator(trial, TASKS, shape, values);
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
