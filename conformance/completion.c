/* SPDX-License-Identifier: BSD-3-Clause
 * Short chains of tasks: the last of each is not ready when its creator reaches the barrier. */
#include "conformance/completion.h"

enum { BUSY_MICROSECONDS = 10, LATE_MICROSECONDS = 100000 };

static void run_task(struct completion *completion)
{
    keep_busy(BUSY_MICROSECONDS);
    shared_add(&completion->ended, 1);
}

void completion_create(struct completion *completion)
{
    for (int i = 0; i < COMPLETION_TASKS; i++) {
        int *item = &completion->item[i % COMPLETION_CHAINS];
        shared_add(&completion->created, 1);
#pragma omp task firstprivate(completion) depend(inout : item[0])
        run_task(completion);
    }
}

void completion_check(struct trial *trial, const struct completion *completion, const char *where)
{
    int ended = shared_get(&completion->ended);
    int created = shared_get(&completion->created);
    if (ended == created)
        return;
    trial_broken(trial, "%d of %d tasks were complete at the %s", ended, created, where);
    keep_busy(LATE_MICROSECONDS);
}
