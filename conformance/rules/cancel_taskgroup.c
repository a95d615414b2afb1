/* SPDX-License-Identifier: BSD-3-Clause
 * Cancelling a taskgroup ends the task that cancels, may discard those that have not begun, and
 * leaves no unfulfilled dependence behind. */
#include <omp.h>

#include "conformance/gate.h"

enum { TASKS = 40, BUSY_MICROSECONDS = 100 };

struct group {
    int item, outer_item; /* what the depend clauses name */
    int gate;
    int went_on, ran;
    int before_ended, after_ended, later_group_ended;
};

/* One that cancels, and others that cannot begin before it has ended. */
static void create_group(struct trial *trial, struct group *group)
{
    int *item = &group->item;
    int *outer_item = &group->outer_item;
#pragma omp taskgroup
    {
#pragma omp task firstprivate(trial, group) \
    depend(out : item[0])
        {
            gate_pass(trial, &group->gate);
#pragma omp cancel taskgroup
            shared_set(&group->went_on, 1);
        }
        for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(group) \
    depend(in : item[0]) \
    depend(inout : outer_item[0])
            shared_add(&group->ran, 1);
        }
        gate_pass(trial, &group->gate);
    }
}

static void submit(struct trial *trial, void *data)
{
    struct group *group = data;
    int *outer_item = &group->outer_item;
#pragma omp task firstprivate(group) \
    depend(out : outer_item[0])
    {
        keep_busy(BUSY_MICROSECONDS);
        shared_set(&group->before_ended, 1);
    }
    create_group(trial, group);
#pragma omp task firstprivate(trial, group) \
    depend(in : outer_item[0])
    {
        if (!shared_get(&group->before_ended))
            trial_broken(trial, "a task began before a predecessor from before the taskgroup");
        shared_set(&group->after_ended, 1);
    }
#pragma omp taskgroup
    {
#pragma omp task firstprivate(group)
        shared_set(&group->later_group_ended, 1);
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct group group = {.gate = 0};
    on_single(trial, submit, &group);
    if (!group.before_ended || !group.after_ended || !group.later_group_ended)
        trial_broken(trial, "a task outside of the cancelled taskgroup did not run");
    if (group.went_on && omp_get_cancellation())
        trial_broken(trial, "a task went on after it had cancelled its taskgroup");
    if (group.ran == TASKS)
        trial_ignored(trial, "all %d tasks that had not begun ran", TASKS);
}

const struct rule rule = {.name = "cancel-taskgroup",
                          .statement = "Cancelling a taskgroup ends the cancelling task; tasks of "
                                       "the group that have not begun may be discarded.",
                          .source = "OpenMP 5.2, 16.1",
                          .variable = "OMP_CANCELLATION=true",
                          .attempt = attempt};
