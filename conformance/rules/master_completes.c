/* SPDX-License-Identifier: BSD-3-Clause
 * Tasks from a master region are complete after the next barrier. */
#include "conformance/completion.h"

#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 16 /* since OpenMP 5.1 it is deprecated */
#pragma GCC diagnostic ignored "-Wdeprecated-openmp"
#endif

static struct completion completion;

static void attempt(struct trial *trial)
{
    int threads = (int)trial->threads;
    completion = (struct completion){.created = 0};
#pragma omp parallel num_threads(threads) firstprivate(trial) shared(completion)
    {
#pragma omp master
        completion_create(&completion);
#pragma omp barrier
        completion_check(trial, &completion, "barrier after master");
    }
    if (completion.ended != COMPLETION_TASKS)
        trial_broken(trial, "%d of %d tasks ran", completion.ended, COMPLETION_TASKS);
}

const struct rule rule = {.name = "master-completes",
                          .statement = "Tasks created in a master region are complete at the "
                                       "next barrier.",
                          .source = "OpenMP 5.0, 2.16 and 2.17.2",
                          .attempt = attempt};
