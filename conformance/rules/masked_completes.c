/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks from a masked region are complete after the next barrier. */
#include "conformance/completion.h"

static struct completion completion;

static void attempt(struct trial *trial)
{
    int threads = (int)trial->threads;
    completion = (struct completion){.created = 0};
#pragma omp parallel num_threads(threads) firstprivate(trial) shared(completion)
    {
#pragma omp masked
        completion_create(&completion);
#pragma omp barrier
        completion_check(trial, &completion, "barrier after masked");
    }
    if (completion.ended != COMPLETION_TASKS)
        trial_broken(trial, "%d of %d tasks ran", completion.ended, COMPLETION_TASKS);
}

const struct rule rule = {.name = "masked-completes",
                          .statement = "Tasks created in a masked region are complete at the "
                                       "next barrier.",
                          .source = "OpenMP 5.2, 10.5 and 15.3",
                          .attempt = attempt};
