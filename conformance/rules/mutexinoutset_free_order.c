/* SPDX-License-Identifier: BSD-3-Clause
 * The tasks of a mutexinoutset come in any order: one that still waits for another address does not
 * hold up the next, which an earlier writer of that address waits for. */
#include "conformance/rule.h"

struct set {
    int value, other;
    int arrived, met, inside;
};

static void write_other(struct set *set)
{
    if (meet(&set->arrived, 2))
        shared_set(&set->met, 1);
}

static void join(struct trial *trial, struct set *set)
{
    if (shared_add(&set->inside, 1) != 1)
        trial_broken(trial, "two tasks of the set ran at the same time");
    shared_add(&set->arrived, 1);
    shared_add(&set->inside, -1);
}

static void submit(struct trial *trial, void *data)
{
    struct set *set = data;
    int *value = &set->value;
    int *other = &set->other;
#pragma omp task firstprivate(set) depend(out : other[0])
    write_other(set);
#pragma omp task firstprivate(trial, set) depend(mutexinoutset : value[0]) depend(in : other[0])
    join(trial, set);
#pragma omp task firstprivate(trial, set) depend(mutexinoutset : value[0])
    join(trial, set);
}

static void attempt(struct trial *trial)
{
    struct set set = {0};
    on_single(trial, submit, &set);
    if (!set.met)
        trial_serialised(trial, "a task of the set waited for an earlier one that could not run");
}

const struct rule rule = {.name = "mutexinoutset-free-order",
                          .statement = "The tasks of a mutexinoutset may run in any order.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .least_threads = 2,
                          .attempt = attempt};
