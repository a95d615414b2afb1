/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks from all threads of a team are complete at an explicit barrier, and at the team's end. */
#include "conformance/completion.h"

static struct completion completion;

static void attempt(struct trial *trial)
{
    int threads = (int)trial->threads;
    completion = (struct completion){.created = 0};
#pragma omp parallel num_threads(threads) firstprivate(trial) shared(completion)
    {
        completion_create(&completion);
#pragma omp barrier
        completion_check(trial, &completion, "explicit barrier");
#pragma omp barrier
        completion_create(&completion);
    }
    completion_check(trial, &completion, "end of the parallel region");
    if (completion.ended != 2 * threads * COMPLETION_TASKS)
        trial_broken(trial, "%d of %d tasks ran", completion.ended, 2 * threads * COMPLETION_TASKS);
}

const struct rule rule = {.name = "all-threads-complete",
                          .statement = "Tasks created by any thread of a team are complete at the "
                                       "team's next barrier, also the one that ends it.",
                          .source = "OpenMP 5.2, 15.3",
                          .attempt = attempt};
