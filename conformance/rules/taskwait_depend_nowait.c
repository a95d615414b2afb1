/* SPDX-License-Identifier: BSD-3-Clause
 * taskwait with depend and nowait is an empty task: it passes an order on, and no task waits. */
#include "conformance/gate.h"

enum { CHAINS = 24, BUSY_MICROSECONDS = 40 };

struct chains {
    int first[CHAINS], second[CHAINS]; /* what the depend clauses name */
    int written[CHAINS];
    int passed, met;
};

static void write_first(struct trial *trial, struct chains *chains, int chain)
{
    if (chain == 0 && gate_pass(trial, &chains->passed))
        shared_set(&chains->met, 1);
    keep_busy_randomly(trial, (size_t)chain, BUSY_MICROSECONDS);
    shared_set(&chains->written[chain], 1);
}

static void read_second(struct trial *trial, struct chains *chains, int chain)
{
    if (!shared_get(&chains->written[chain]))
        trial_broken(trial, "a task after taskwait depend nowait began before the task before it");
}

static void submit(struct trial *trial, void *data)
{
    struct chains *chains = data;
    for (int i = 0; i < CHAINS; i++) {
        int *first = &chains->first[i];
        int *second = &chains->second[i];
#pragma omp task firstprivate(trial, chains, i) \
    depend(out : first[0])
        write_first(trial, chains, i);
#pragma omp taskwait depend(in : first[0]) depend(out : second[0]) nowait
        if (i == 0)
            gate_pass(trial, &chains->passed);
#pragma omp task firstprivate(trial, chains, i) \
    depend(in : second[0])
        read_second(trial, chains, i);
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct chains chains = {.passed = 0};
    on_single(trial, submit, &chains);
    if (!chains.met && trial->threads > 1)
        trial_serialised(trial, "taskwait depend nowait was never passed before its predecessor "
                                "had ended");
}

const struct rule rule = {.name = "taskwait-depend-nowait",
                          .statement = "taskwait with depend and nowait does not wait; it orders "
                                       "the tasks before and after it as an empty task does.",
                          .source = "OpenMP 5.2, 15.5",
                          .attempt = attempt};
