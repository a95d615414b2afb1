/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks of an inoutset run concurrently: two that wait for each other between a writer and a
 * reader. */
#include "conformance/rule.h"

enum { MEMBERS = 2 };

struct set {
    int value, arrived, met, ended;
};

static void write_first(struct set *set)
{
    keep_busy(5);
    shared_set(&set->value, 1);
}

static void join(struct trial *trial, struct set *set)
{
    if (shared_get(&set->value) != 1)
        trial_broken(trial, "a task of the set began before the earlier writer had ended");
    if (meet(&set->arrived, MEMBERS))
        shared_set(&set->met, 1);
    shared_add(&set->ended, 1);
}

static void read_last(struct trial *trial, struct set *set)
{
    if (shared_get(&set->ended) != MEMBERS)
        trial_broken(trial, "the later reader began when %d of %d tasks of the set had ended",
                     shared_get(&set->ended), MEMBERS);
}

static void submit(struct trial *trial, void *data)
{
    struct set *set = data;
    int *value = &set->value;
#pragma omp task firstprivate(set) depend(out : value[0])
    write_first(set);
    for (int i = 0; i < MEMBERS; i++) {
#pragma omp task firstprivate(trial, set) depend(inoutset : value[0])
        join(trial, set);
    }
#pragma omp task firstprivate(trial, set) depend(in : value[0])
    read_last(trial, set);
}

static void attempt(struct trial *trial)
{
    struct set set = {0};
    on_single(trial, submit, &set);
    if (!set.met)
        trial_serialised(trial, "two tasks of the set never ran at the same time");
}

const struct rule rule = {.name = "inoutset-concurrent",
                          .statement = "Tasks of an inoutset may run at the same time.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .least_threads = 2,
                          .attempt = attempt};
