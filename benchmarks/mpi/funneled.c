/* SPDX-License-Identifier: BSD-3-Clause
 * `funneled`: the thread that creates the tasks waits for them, then sends and receives, and so on. Nothing overlaps. */
#include "benchmarks/mpi/queue.h"

static void create(struct exchange *x)
{
    x->own = queue_create(x);
}

static void receive(struct exchange *x, struct message message)
{
    queue_add(x->own, message, false, true);
}

static void send(struct exchange *x, struct message message)
{
    queue_add(x->own, message, true, true);
}

static void complete(struct exchange *x)
{
    struct queue *q = x->own;
    if (queue_is_empty(q))
        return;
    int64_t begin = log_wait_begin(x->log);
#pragma omp taskwait
    for (size_t idle = 0; !queue_is_empty(q); idle++)
        if (queue_progress(q) > 0)
            idle = 0;
        else
            queue_pause(idle);
    log_wait(x->log, begin, true);
}

static void end(struct exchange *x)
{
    complete(x);
#pragma omp taskwait
}

static void destroy(struct exchange *x)
{
    queue_destroy(x->own);
}

const struct method exchange_funneled = {.name = "funneled",
                                         .level = MPI_THREAD_FUNNELED,
                                         .create = create,
                                         .receive = receive,
                                         .send = send,
                                         .complete = complete,
                                         .end = end,
                                         .destroy = destroy};
