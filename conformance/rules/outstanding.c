/* SPDX-License-Identifier: BSD-3-Clause
 * 100,000 tasks wait at once: chains behind a gate that opens when all are created. */
#include "conformance/rule.h"

enum { CHAINS = 250, LENGTH = 400, GATE_MILLISECONDS = 3000 };

struct crowd {
    int gate, open;
    int creator, created;
    int chain[CHAINS]; /* tasks of the chain that have ended */
};

/* Holds the others back. On the thread that creates them it would wait for itself. */
static void hold(struct crowd *crowd)
{
    if (this_thread() != crowd->creator)
        wait_until(&crowd->created, 1, GATE_MILLISECONDS);
    crowd->open = 1;
}

static void run_link(struct trial *trial, struct crowd *crowd, int chain, int link)
{
    int ended = crowd->chain[chain];
    if (!crowd->open)
        trial_broken(trial, "task %d of chain %d began before the gate was open", link, chain);
    if (ended != link)
        trial_broken(trial, "task %d of chain %d began after %d tasks of its chain", link, chain,
                     ended);
    crowd->chain[chain] = ended + 1;
}

static void submit(struct trial *trial, void *data)
{
    struct crowd *crowd = data;
    int *gate = &crowd->gate;
    int *chain = crowd->chain;
    crowd->creator = this_thread();
#pragma omp task firstprivate(crowd) depend(out : gate[0])
    hold(crowd);
    for (int i = 0; i < CHAINS; i++) {
#pragma omp task firstprivate(trial, crowd, i) depend(in : gate[0]) depend(inout : chain[i])
        run_link(trial, crowd, i, 0);
    }
    for (int k = 1; k < LENGTH; k++)
        for (int i = 0; i < CHAINS; i++) {
#pragma omp task firstprivate(trial, crowd, i, k) depend(inout : chain[i])
            run_link(trial, crowd, i, k);
        }
    shared_set(&crowd->created, 1);
}

static void attempt(struct trial *trial)
{
    struct crowd crowd = {0};
    on_single(trial, submit, &crowd);
    for (int i = 0; i < CHAINS; i++)
        if (crowd.chain[i] != LENGTH)
            trial_broken(trial, "%d of %d tasks of chain %d ran", crowd.chain[i], LENGTH, i);
}

const struct rule rule = {.name = "outstanding",
                          .statement = "However many tasks wait, here 100,000, each of them runs, "
                                       "and in order.",
                          .source = "OpenMP 5.2, 12.5 and 15.9.5",
                          .attempt = attempt};
