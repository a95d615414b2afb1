/* SPDX-License-Identifier: BSD-3-Clause
 * Items order siblings: children of one task among themselves, but not the children of another task
 * that name the same address. */
#include "conformance/rule.h"

enum { PARENTS = 2, CHILDREN = 8, TOO_EARLY_MILLISECONDS = 1 };

struct family {
    int value, parent_value[PARENTS];
    int ended[PARENTS];
    int arrived, met;
    int slow, last_begun;
};

/* The last child of one parent gives the task after the parents time to begin too early. */
static void run_child(struct trial *trial, struct family *family, int parent, int child)
{
    int ended = family->ended[parent];
    if (ended != child)
        trial_broken(trial, "child %d of parent %d runs after %d of its siblings", child, parent,
                     ended);
    if (child == 0 && trial->threads > 1 && meet(&family->arrived, PARENTS))
        shared_set(&family->met, 1);
    keep_busy_randomly(trial, (size_t)parent * CHILDREN + (size_t)child, 8);
    if (parent == family->slow && child == CHILDREN - 1)
        wait_until(&family->last_begun, 1, TOO_EARLY_MILLISECONDS);
    family->ended[parent] = ended + 1;
}

static void run_parent(struct trial *trial, struct family *family, int parent)
{
    int *value = &family->value;
    for (int child = 0; child < CHILDREN; child++) {
#pragma omp task firstprivate(trial, family, parent, child) depend(inout : value[0])
        run_child(trial, family, parent, child);
    }
#pragma omp taskwait
}

static void run_last(struct trial *trial, struct family *family)
{
    shared_set(&family->last_begun, 1);
    for (int parent = 0; parent < PARENTS; parent++)
        if (family->ended[parent] != CHILDREN)
            trial_broken(trial,
                         "a task after parent %d, which waits for its children, runs after "
                         "%d of these",
                         parent, family->ended[parent]);
}

static void submit(struct trial *trial, void *data)
{
    struct family *family = data;
    int *own = family->parent_value;
    family->slow = (int)trial_random(trial, PARENTS);
    for (int parent = 0; parent < PARENTS; parent++) {
#pragma omp task firstprivate(trial, family, parent) depend(out : own[parent])
        run_parent(trial, family, parent);
    }
#pragma omp task firstprivate(trial, family) depend(in : own[0], own[1])
    run_last(trial, family);
}

static void attempt(struct trial *trial)
{
    struct family family = {0};
    on_single(trial, submit, &family);
    if (trial->threads > 1 && !family.met)
        trial_serialised(trial, "children of two tasks that name one address never ran at the same "
                                "time");
}

const struct rule rule = {.name = "nested-domains",
                          .statement = "Items order the children of one task among themselves, not "
                                       "against the children of another.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
