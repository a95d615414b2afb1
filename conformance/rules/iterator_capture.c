/* SPDX-License-Identifier: BSD-3-Clause
 * A task whose items have an iterator captures its variables as any other: firstprivate ones as
 * they are when it is created, shared ones as the originals, also those that it only reads. */
#include "conformance/rule.h"

enum { ITEMS = 4, FIRST = 3, LATER = 7, CREATED_MILLISECONDS = 20 };

struct capture {
    int value[ITEMS];
    int created, creator;
};

/* On the thread that creates the tasks it is too late to wait for the reader. */
static void wait_for_reader(const struct capture *capture)
{
    if (this_thread() != capture->creator)
        wait_until(&capture->created, 1, CREATED_MILLISECONDS);
}

static void compare(struct trial *trial, const char *sharing, int seen, int right)
{
    if (seen != right)
        trial_broken(trial, "a task with an iterator sees %d in a %s variable that holds %d", seen,
                     sharing, right);
}

/* `common` belongs to the task that encounters the parallel region: two constructs capture it. */
static void attempt(struct trial *trial)
{
    struct capture set = {.created = 0};
    struct capture *capture = &set;
    int *value = set.value;
    int threads = (int)trial->threads;
    int common = FIRST;
#pragma omp parallel num_threads(threads) firstprivate(trial, capture, value) shared(common)
#pragma omp single
    {
        int own = FIRST;
        capture->creator = this_thread();
#pragma omp task firstprivate(capture) shared(common) depend(out : value[1])
        {
            wait_for_reader(capture);
            common = LATER;
        }
#pragma omp task firstprivate(trial, own) shared(common) \
    depend(iterator(int i = 0 : ITEMS), in : value[i])
        {
            compare(trial, "firstprivate", own, FIRST);
            compare(trial, "shared", common, LATER);
        }
        own = LATER;
        shared_set(&capture->created, 1);
    }
}

const struct rule rule = {.name = "iterator-capture",
                          .statement = "In a task with an iterator, firstprivate variables keep "
                                       "their value and shared ones are the originals.",
                          .source = "OpenMP 5.2, 5.4.2, 5.4.4 and 3.2.6",
                          .attempt = attempt};
