/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks that must be complete at a barrier, some of them held back by dependences. */
#ifndef POLLUX_CONFORMANCE_COMPLETION_H
#define POLLUX_CONFORMANCE_COMPLETION_H

#include "conformance/rule.h"

enum { COMPLETION_TASKS = 24, COMPLETION_CHAINS = 4 };

/** Tasks created and ended. It must outlive tasks that are late: static storage. */
struct completion {
    int created, ended;
    int item[COMPLETION_CHAINS]; /**< what the depend clauses name */
};

/** Creates COMPLETION_TASKS tasks in the calling thread's current task. */
void completion_create(struct completion *completion);

/** Reports "broken" where not all tasks created so far have ended; then waits for the late ones, so
 * that they do not disturb the next trial.
 * @param where names the barrier */
void completion_check(struct trial *trial, const struct completion *completion, const char *where);

#endif
