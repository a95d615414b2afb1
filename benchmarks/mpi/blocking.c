/* SPDX-License-Identifier: BSD-3-Clause
 * `blocking`: MPI_Send and MPI_Recv inside tasks, which keep their thread until the message is over. A dependence on one
 * address for all sends, and on one for all receives, lets a rank wait in one of each at most, in the order in which all
 * ranks create them: with a third thread for the tasks that compute, no rank can wait for itself. */
#include <stdlib.h>

#include "benchmarks/mpi/exchange.h"

/* Addresses that stand for the order of the messages. */
struct order {
    double sends, receives;
};

static void create(struct exchange *x)
{
    x->own = calloc(1, sizeof(struct order));
    if (!x->own)
        world_fail(POLLUX_MACHINE, "no memory");
}

static void wait_for_receive(struct exchange *x, struct message message)
{
    MPI_Status status;
    log_start(x->log, message.number);
    MPI_Recv(message.buffer, message.count, message.type, message.peer, message.tag, MPI_COMM_WORLD,
             &status);
    message_finish(x, &message, false, &status);
}

static void wait_for_send(struct exchange *x, struct message message)
{
    log_start(x->log, message.number);
    MPI_Send(message.buffer, message.count, message.type, message.peer, message.tag, MPI_COMM_WORLD);
    message_finish(x, &message, true, MPI_STATUS_IGNORE);
}

static void receive(struct exchange *x, struct message message)
{
    struct order *order = x->own;
    char *named = message.buffer;
    double *receives = &order->receives;
#pragma omp task firstprivate(x, message) \
    depend(inout : named[0], receives[0]) \
    priority(PRIORITY_PANEL)
    wait_for_receive(x, message);
}

static void send(struct exchange *x, struct message message)
{
    struct order *order = x->own;
    char *named = message.buffer;
    double *sends = &order->sends;
#pragma omp task firstprivate(x, message) \
    depend(in : named[0]) \
    depend(inout : sends[0]) \
    priority(PRIORITY_PANEL)
    wait_for_send(x, message);
}

static void complete(struct exchange *x)
{
    (void)x; /* the tasks' dependences are enough */
}

static void end(struct exchange *x)
{
    (void)x;
#pragma omp taskwait
}

static void destroy(struct exchange *x)
{
    free(x->own);
}

const struct method exchange_blocking = {.name = "blocking",
                                         .level = MPI_THREAD_MULTIPLE,
                                         .threads = 3,
                                         .why = "one may wait in a receive and one in a send, and "
                                                "with no other it would deadlock",
                                         .awake = true,
                                         .create = create,
                                         .receive = receive,
                                         .send = send,
                                         .complete = complete,
                                         .end = end,
                                         .destroy = destroy};
