/* SPDX-License-Identifier: BSD-3-Clause
 * Priorities change the order: of tasks that become ready together, those with higher ones begin
 * first, more or less. */
#include "conformance/gate.h"

enum { TASKS = 64, BUSY_MICROSECONDS = 10 };

struct ranks {
    int priority[TASKS];
    int moment[TASKS]; /* at which the task began */
    int gate;
};

static void begin(struct trial *trial, struct ranks *ranks, int task)
{
    ranks->moment[task] = trial_moment(trial);
    keep_busy(BUSY_MICROSECONDS);
}

static void shuffle_priorities(struct trial *trial, struct ranks *ranks)
{
    for (int i = 0; i < TASKS; i++) {
        size_t at = trial_random(trial, (size_t)i + 1);
        ranks->priority[i] = ranks->priority[at];
        ranks->priority[at] = i + 1;
    }
}

static void submit(struct trial *trial, void *data)
{
    struct ranks *ranks = data;
    int storage = 0;
    int *item = &storage;
    shuffle_priorities(trial, ranks);
#pragma omp task firstprivate(trial, ranks) \
    depend(out : item[0])
    gate_pass(trial, &ranks->gate);
    for (int i = 0; i < TASKS; i++) {
        int rank = ranks->priority[i];
#pragma omp task firstprivate(trial, ranks, i) \
    depend(in : item[0]) \
    priority(rank)
        begin(trial, ranks, i);
    }
    gate_pass(trial, &ranks->gate);
#pragma omp taskwait
}

static int pairs_in_wrong_order(const struct ranks *ranks)
{
    int pairs = 0;
    for (int i = 0; i < TASKS; i++)
        for (int j = 0; j < TASKS; j++)
            pairs += ranks->priority[i] > ranks->priority[j] && ranks->moment[i] > ranks->moment[j];
    return pairs;
}

/* If priorities are ignored, half of the pairs are in the wrong order, with a standard deviation
 * of 4 %: a quarter is more than five of these away. */
static void attempt(struct trial *trial)
{
    enum { PAIRS = TASKS * (TASKS - 1) / 2 };
    struct ranks ranks = {.gate = 0};
    on_single(trial, submit, &ranks);
    int pairs = pairs_in_wrong_order(&ranks);
    if (pairs > PAIRS / 4)
        trial_ignored(trial, "of %d pairs of tasks, %d began in the order of rising priority",
                      PAIRS, pairs);
}

const struct rule rule = {.name = "priority",
                          .statement = "Of tasks that are ready together, those with a higher "
                                       "priority are recommended to begin first.",
                          .source = "OpenMP 5.2, 12.4",
                          .variable = "OMP_MAX_TASK_PRIORITY=64",
                          .least_threads = 2,
                          .attempt = attempt};
