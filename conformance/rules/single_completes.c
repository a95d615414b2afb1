/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks from a single region are complete after the barrier at its end. */
#include "conformance/completion.h"

static struct completion completion;

static void attempt(struct trial *trial)
{
    int threads = (int)trial->threads;
    completion = (struct completion){.created = 0};
#pragma omp parallel num_threads(threads) firstprivate(trial) shared(completion)
    {
#pragma omp single
        completion_create(&completion);
        completion_check(trial, &completion, "barrier at the end of single");
    }
    if (completion.ended != COMPLETION_TASKS)
        trial_broken(trial, "%d of %d tasks ran", completion.ended, COMPLETION_TASKS);
}

const struct rule rule = {.name = "single-completes",
                          .statement = "Tasks created in a single region are complete at the "
                                       "barrier that ends it.",
                          .source = "OpenMP 5.2, 11.1 and 15.3",
                          .attempt = attempt};
