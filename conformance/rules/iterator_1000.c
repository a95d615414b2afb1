/* SPDX-License-Identifier: BSD-3-Clause
 * An iterator with 1000 values: a task that reads what 1000 tasks write, and writes what 1000 tasks
 * read. */
#include "conformance/rule.h"

enum { ADDRESSES = 1000 };

struct fan {
    int value[ADDRESSES];
    int written, gathered, read;
};

static void write_one(struct trial *trial, struct fan *fan, int i)
{
    keep_busy_randomly(trial, (size_t)i, 2);
    fan->value[i] = 1;
    shared_add(&fan->written, 1);
}

static void gather(struct trial *trial, struct fan *fan)
{
    for (int i = 0; i < ADDRESSES; i++) {
        if (fan->value[i] != 1)
            trial_broken(trial, "the task with %d items began before item %d was written",
                         ADDRESSES, i);
        fan->value[i] = 2;
    }
    shared_add(&fan->gathered, 1);
}

static void read_one(struct trial *trial, struct fan *fan, int i)
{
    if (fan->value[i] != 2)
        trial_broken(trial, "item %d was read before the task with %d items had ended", i,
                     ADDRESSES);
    shared_add(&fan->read, 1);
}

static void submit(struct trial *trial, void *data)
{
    struct fan *fan = data;
    int *value = fan->value;
    for (int i = 0; i < ADDRESSES; i++) {
#pragma omp task firstprivate(trial, fan, i) depend(out : value[i])
        write_one(trial, fan, i);
    }
#pragma omp task firstprivate(trial, fan) depend(iterator(int i = 0 : ADDRESSES), inout : value[i])
    gather(trial, fan);
    for (int i = 0; i < ADDRESSES; i++) {
#pragma omp task firstprivate(trial, fan, i) depend(in : value[i])
        read_one(trial, fan, i);
    }
}

static void attempt(struct trial *trial)
{
    struct fan fan = {.written = 0};
    on_single(trial, submit, &fan);
    if (fan.written != ADDRESSES || fan.gathered != 1 || fan.read != ADDRESSES)
        trial_broken(trial, "%d of %d tasks ran", fan.written + fan.gathered + fan.read,
                     2 * ADDRESSES + 1);
}

const struct rule rule = {.name = "iterator-1000",
                          .statement = "An item with an iterator of 1000 values counts as 1000 "
                                       "items.",
                          .source = "OpenMP 5.2, 3.2.6 and 15.9.5",
                          .attempt = attempt};
