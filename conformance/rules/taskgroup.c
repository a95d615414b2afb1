/* SPDX-License-Identifier: BSD-3-Clause
 * The end of a taskgroup waits for all descendants created in it, and for no other task. */
#include "conformance/gate.h"

enum { CHILDREN = 10, GENERATIONS = 3, FERTILITY = 2, BUSY_MICROSECONDS = 20 };

struct family {
    int born, ended;
    int begun, passed, met; /* by a task from before the group */
};

static void outlast(struct trial *trial, struct family *family)
{
    gate_pass(trial, &family->begun);
    if (gate_pass(trial, &family->passed))
        shared_set(&family->met, 1);
}

/* Does not wait for its children. */
static void live(struct trial *trial, struct family *family, int generation)
{
    for (int i = 0; i < FERTILITY && generation < GENERATIONS; i++) {
        size_t name = (size_t)shared_add(&family->born, 1);
#pragma omp task firstprivate(trial, family, generation, name)
        {
            keep_busy_randomly(trial, name, BUSY_MICROSECONDS);
            live(trial, family, generation + 1);
        }
    }
    shared_add(&family->ended, 1);
}

static void submit(struct trial *trial, void *data)
{
    struct family *family = data;
#pragma omp task firstprivate(trial, family)
    outlast(trial, family);
    gate_pass(trial, &family->begun);
#pragma omp taskgroup
    {
        for (int i = 0; i < CHILDREN; i++) {
            shared_add(&family->born, 1);
#pragma omp task firstprivate(trial, family)
            live(trial, family, 1);
        }
    }
    if (shared_get(&family->ended) != shared_get(&family->born))
        trial_broken(trial, "%d of %d descendants had ended at the end of the taskgroup",
                     shared_get(&family->ended), shared_get(&family->born));
    gate_pass(trial, &family->passed);
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    int expected = CHILDREN;
    for (int i = 1, generation = CHILDREN; i < GENERATIONS; i++)
        expected += generation *= FERTILITY;
    struct family family = {0};
    on_single(trial, submit, &family);
    if (family.ended != expected)
        trial_broken(trial, "%d of %d descendants ran", family.ended, expected);
    if (!family.met && trial->threads > 1)
        trial_serialised(trial, "a task from before the taskgroup never outlasted it");
}

const struct rule rule = {.name = "taskgroup",
                          .statement = "The end of a taskgroup waits for the tasks created in it "
                                       "and all their descendants, and need not wait for others.",
                          .source = "OpenMP 5.2, 15.4",
                          .attempt = attempt};
