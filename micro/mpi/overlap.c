/* SPDX-License-Identifier: BSD-3-Clause
 * What share of a transfer is hidden behind tasks. Each rank sends the other a message and has tasks that do not need it,
 * which take as long as the transfer does alone. With times alone t and w, and b together, (t + w - b) / min(t, w) is
 * hidden: the definition of the Intel MPI Benchmarks for non-blocking collectives. It is not cut to 0 … 100 %. */
#include "common/base/clock.h"
#include "common/base/sizes.h"
#include "micro/mpi/pair.h"

enum { ROUNDS = 9, TRIALS = 5, TASKS_PER_THREAD = 16, TAG = PAIR_WINDOW + 8 };

static const double PERCENT = 100.0;

static void create_work(struct pair *pair)
{
    struct work *work = pair->work;
    size_t tasks = TASKS_PER_THREAD * pair->shape.threads;
    for (size_t i = 0; i < tasks; i++) {
#pragma omp task firstprivate(work)
        work_run(work);
    }
}

/* What a rank of a factorization does in a step: its messages, tasks that need none of them, a task that does. */
static void submit(struct pair *pair, bool transfers, bool works, int64_t *began_ns)
{
    struct exchange *x = &pair->exchange;
    size_t bytes = pair->shape.transfer;
    if (transfers) {
        pair_receive(pair, pair->large_in, bytes, TAG);
        pair_send(pair, pair->large_out, bytes, TAG);
    }
    if (works)
        create_work(pair);
    if (transfers) {
        x->method->complete(x);
        pair_read(pair, pair->large_in, pair->number, began_ns);
    }
    pair_finish(pair);
}

/* @return the time of the slower rank in ns */
static double run(struct pair *pair, bool transfers, bool works)
{
    int64_t began_ns;
    if (transfers)
        pair_fill(pair->large_out, pair->shape.transfer, pair->number);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    submit(pair, transfers, works, &began_ns);
    double ns = pair_slower((double)(now_ns(CLOCK_MONOTONIC) - begin));
    if (transfers)
        pair_check(pair, pair->large_in, pair->shape.transfer, pair->number++);
    return ns;
}

/* Sets the tasks' work to what a transfer takes. */
static void balance(struct pair *pair)
{
    double ns[TRIALS], units;
    for (size_t i = 0; i < TRIALS; i++)
        ns[i] = run(pair, true, false);
    units = pair_median(ns, TRIALS) / ((double)TASKS_PER_THREAD * pair->ns_per_unit);
    MPI_Bcast(&units, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    work_set_grain(pair->work, larger(1, (size_t)units));
}

void pair_overlap(struct pair *pair, struct pair_times *times)
{
    double transfer[ROUNDS], work[ROUNDS], both[ROUNDS];
    balance(pair);
    for (size_t i = 0; i < ROUNDS; i++) {
        transfer[i] = run(pair, true, false);
        work[i] = run(pair, false, true);
        both[i] = run(pair, true, true);
    }
    times->transfer = pair_median(transfer, ROUNDS);
    times->work = pair_median(work, ROUNDS);
    times->both = pair_median(both, ROUNDS);
    double least = times->transfer < times->work ? times->transfer : times->work;
    times->overlap = PERCENT * (times->transfer + times->work - times->both) / least;
}
