/* SPDX-License-Identifier: BSD-3-Clause
 * in, out and inout order tasks: random graphs, each task checked against the order of creation. */
#include "conformance/rule.h"

enum { TASKS = 400, ADDRESSES = 6, BUSY_MICROSECONDS = 8 };

/* What the tasks did to each address: how many writers have ended, and the readers since. */
struct board {
    int written[ADDRESSES];
    int read[ADDRESSES];
};

/* What a task must find when it begins, by the oracle: the sequential order of creation. */
struct expectation {
    size_t task;
    size_t reads, writes; /* addresses */
    int written_before_read, written_before_write, read_before_write;
};

static void run_task(struct trial *trial, struct board *board, struct expectation e)
{
    if (shared_get(&board->written[e.reads]) != e.written_before_read)
        trial_broken(trial, "task %zu reads address %zu after %d of %d writers", e.task, e.reads,
                     shared_get(&board->written[e.reads]), e.written_before_read);
    if (shared_get(&board->written[e.writes]) != e.written_before_write ||
        shared_get(&board->read[e.writes]) != e.read_before_write)
        trial_broken(trial, "task %zu writes address %zu after %d of %d writers, %d of %d readers",
                     e.task, e.writes, shared_get(&board->written[e.writes]),
                     e.written_before_write, shared_get(&board->read[e.writes]),
                     e.read_before_write);
    keep_busy_randomly(trial, e.task, BUSY_MICROSECONDS);
    shared_add(&board->read[e.reads], 1);
    shared_add(&board->written[e.writes], 1);
}

static struct expectation next_task(struct trial *trial, struct board *oracle, size_t task)
{
    size_t reads = trial_random(trial, ADDRESSES);
    size_t writes = (reads + 1 + trial_random(trial, ADDRESSES - 1)) % ADDRESSES;
    struct expectation e = {.task = task,
                            .reads = reads,
                            .writes = writes,
                            .written_before_read = oracle->written[reads],
                            .written_before_write = oracle->written[writes],
                            .read_before_write = oracle->read[writes]};
    oracle->read[reads]++;
    oracle->written[writes]++;
    return e;
}

static void submit(struct trial *trial, void *data)
{
    struct board *board = data;
    struct board oracle = {{0}, {0}};
    int address[ADDRESSES];
    for (size_t i = 0; i < TASKS; i++) {
        struct expectation e = next_task(trial, &oracle, i);
        int *in = &address[e.reads];
        int *out = &address[e.writes];
        if (trial_random(trial, 2) == 0) {
#pragma omp task firstprivate(trial, board, e) \
    depend(in : in[0]) \
    depend(out : out[0])
            run_task(trial, board, e);
        } else {
#pragma omp task firstprivate(trial, board, e) \
    depend(in : in[0]) \
    depend(inout : out[0])
            run_task(trial, board, e);
        }
    }
#pragma omp taskwait
}

static void attempt(struct trial *trial)
{
    struct board board = {{0}, {0}};
    int ran = 0;
    on_single(trial, submit, &board);
    for (size_t i = 0; i < ADDRESSES; i++)
        ran += board.written[i];
    if (ran != TASKS)
        trial_broken(trial, "%d of %d tasks ran", ran, TASKS);
}

const struct rule rule = {.name = "depend-order",
                          .statement = "in, out and inout items order a task after the earlier "
                                       "siblings that write, or read and write, the same address.",
                          .source = "OpenMP 5.2, 15.9.5",
                          .attempt = attempt};
