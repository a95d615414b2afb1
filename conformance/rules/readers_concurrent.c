/* SPDX-License-Identifier: BSD-3-Clause
 * Readers of one address run concurrently: two that wait for each other between two writers. */
#include "conformance/rule.h"

enum { READERS = 2 };

struct readers {
    int arrived, met, ended;
    int begun_early, written_early;
};

static void read_and_meet(struct readers *readers, const int *value)
{
    if (shared_get(value) != 1)
        shared_set(&readers->begun_early, 1);
    if (meet(&readers->arrived, READERS))
        shared_set(&readers->met, 1);
    shared_add(&readers->ended, 1);
}

static void write_last(struct readers *readers)
{
    if (shared_get(&readers->ended) != READERS)
        shared_set(&readers->written_early, 1);
}

static void submit(struct trial *trial, void *data)
{
    struct readers *readers = data;
    int storage = 0;
    int *value = &storage;
    (void)trial;
#pragma omp task firstprivate(value) depend(out : value[0])
    shared_set(value, 1);
    for (int i = 0; i < READERS; i++) {
#pragma omp task firstprivate(readers, value) depend(in : value[0])
        read_and_meet(readers, value);
    }
#pragma omp task firstprivate(readers) depend(inout : value[0])
    write_last(readers);
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct readers readers = {0};
    on_single(trial, submit, &readers);
    if (readers.begun_early)
        trial_broken(trial, "a reader began before the writer had ended");
    if (readers.written_early)
        trial_broken(trial, "the second writer began before both readers had ended");
    if (!readers.met)
        trial_serialised(trial, "two readers never ran at the same time");
}

const struct rule rule = {.name = "readers-concurrent",
                          .statement = "Tasks that only read an address may run at the same time.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .least_threads = 2,
                          .attempt = attempt};
