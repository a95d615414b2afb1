/* SPDX-License-Identifier: BSD-3-Clause
 * taskwait waits for children; grandchildren may go on. */
#include "conformance/gate.h"

enum { CHILDREN = 40, BUSY_MICROSECONDS = 20 };

struct family {
    int children, grandchildren; /* ended */
    int begun, passed, met;      /* by the grandchild that outlasts the taskwait */
};

static void outlast(struct trial *trial, struct family *family)
{
    gate_pass(trial, &family->begun);
    if (gate_pass(trial, &family->passed))
        shared_set(&family->met, 1);
    shared_add(&family->grandchildren, 1);
}

static void be_parent(struct trial *trial, struct family *family)
{
#pragma omp task firstprivate(trial, family)
    outlast(trial, family);
    shared_add(&family->children, 1);
}

static void be_child(struct trial *trial, struct family *family, size_t name)
{
#pragma omp task firstprivate(family)
    shared_add(&family->grandchildren, 1);
    keep_busy_randomly(trial, name, BUSY_MICROSECONDS);
    shared_add(&family->children, 1);
}

static void submit(struct trial *trial, void *data)
{
    struct family *family = data;
#pragma omp task firstprivate(trial, family)
    be_parent(trial, family);
    gate_pass(trial, &family->begun);
    for (size_t i = 1; i < CHILDREN; i++) {
#pragma omp task firstprivate(trial, family, i)
        be_child(trial, family, i);
    }
#pragma omp taskwait
    if (shared_get(&family->children) != CHILDREN)
        trial_broken(trial, "%d of %d children had ended at the taskwait",
                     shared_get(&family->children), CHILDREN);
    gate_pass(trial, &family->passed);
}

static void attempt(struct trial *trial)
{
    struct family family = {0};
    on_single(trial, submit, &family);
    if (family.grandchildren != CHILDREN)
        trial_broken(trial, "%d of %d grandchildren ran", family.grandchildren, CHILDREN);
    if (!family.met && trial->threads > 1)
        trial_serialised(trial, "a grandchild never outlasted the taskwait");
}

const struct rule rule = {.name = "taskwait",
                          .statement = "taskwait waits for the children of the current task, and "
                                       "need not wait for their descendants.",
                          .source = "OpenMP 5.2, 15.5",
                          .attempt = attempt};
