/* SPDX-License-Identifier: BSD-3-Clause
 * `taskyield`: tasks say when a tile can be sent, or a buffer filled; the thread that creates the tasks makes all calls
 * of MPI, and tests and yields until the tiles have come that the next tasks read. No task waits for a message. */
#include "benchmarks/mpi/queue.h"

static void create(struct exchange *x)
{
    x->own = queue_create(x);
}

/* The buffer may still be read by tasks of an earlier step. */
static void receive(struct exchange *x, struct message message)
{
    struct entry *entry = queue_add(x->own, message, false, false);
    char *named = message.buffer;
#pragma omp task firstprivate(entry) \
    depend(inout : named[0]) \
    priority(PRIORITY_PANEL)
    atomic_store(&entry->ready, true);
}

/* What comes from another rank goes on as soon as it is there. */
static void send(struct exchange *x, struct message message)
{
    struct queue *q = x->own;
    char *named = message.buffer;
    bool forwards = queue_receives(q, message.buffer);
    struct entry *entry = queue_add(q, message, true, forwards);
    if (forwards)
        return;
#pragma omp task firstprivate(entry) \
    depend(in : named[0]) \
    priority(PRIORITY_PANEL)
    atomic_store(&entry->ready, true);
}

/* Tests, and lets tasks run on this thread. A runtime whose taskyield does nothing would run none of them where there is
 * no other thread: there, all tasks created so far are waited for, none of which waits for a message. */
static void test_and_yield(const struct exchange *x, struct queue *q, size_t *idle)
{
    if (queue_progress(q) > 0) {
        *idle = 0;
        return;
    }
    if (x->problem->threads == 1) {
#pragma omp taskwait
    } else {
#pragma omp taskyield
    }
    queue_pause((*idle)++);
}

static void complete(struct exchange *x)
{
    struct queue *q = x->own;
    int64_t begin = log_wait_begin(x->log);
    queue_progress(q);
    for (size_t idle = 0; q->receiving > 0;)
        test_and_yield(x, q, &idle);
    log_wait(x->log, begin, false);
}

/* A task says that a tile may be sent, and does not wait until it is. */
static void settle(struct exchange *x)
{
    struct queue *q = x->own;
    int64_t begin = log_wait_begin(x->log);
    for (size_t idle = 0; !queue_is_empty(q);)
        test_and_yield(x, q, &idle);
    log_wait(x->log, begin, false);
}

static void end(struct exchange *x)
{
    settle(x);
#pragma omp taskwait
}

static void destroy(struct exchange *x)
{
    queue_destroy(x->own);
}

const struct method exchange_taskyield = {.name = "taskyield",
                                          .level = MPI_THREAD_FUNNELED,
                                          .create = create,
                                          .receive = receive,
                                          .send = send,
                                          .complete = complete,
                                          .settle = settle,
                                          .end = end,
                                          .destroy = destroy};
