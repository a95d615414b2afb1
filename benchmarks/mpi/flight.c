/* SPDX-License-Identifier: BSD-3-Clause
 * MPI_Testsome, since a test of each message would let the library look at the network, or give up the processor, as
 * often. */
#include "benchmarks/mpi/flight.h"

#include <stdlib.h>

#include "common/base/sizes.h"

struct item {
    struct message message;
    uintptr_t token;
    bool sends;
};

struct flight *flight_create(struct exchange *x)
{
    size_t most = larger(x->transfers, 1);
    struct flight *f = calloc(1, sizeof *f);
    if (f)
        *f = (struct flight){.x = x,
                             .requests = calloc(most, sizeof *f->requests),
                             .items = calloc(most, sizeof *f->items),
                             .indices = calloc(most, sizeof *f->indices),
                             .statuses = calloc(most, sizeof *f->statuses),
                             .finished = calloc(most, sizeof *f->finished)};
    if (!f || !f->requests || !f->items || !f->indices || !f->statuses || !f->finished)
        world_fail(POLLUX_MACHINE, "no memory for %zu messages", x->transfers);
    return f;
}

void flight_destroy(struct flight *f)
{
    free(f->requests);
    free(f->items);
    free(f->indices);
    free(f->statuses);
    free(f->finished);
    free(f);
}

void message_start(struct exchange *x, const struct message *message, bool sends,
                   MPI_Request *request)
{
    log_start(x->log, message->number);
    if (sends)
        MPI_Isend(message->buffer, message->count, message->type, message->peer, message->tag,
                  MPI_COMM_WORLD, request);
    else
        MPI_Irecv(message->buffer, message->count, message->type, message->peer, message->tag,
                  MPI_COMM_WORLD, request);
}

void flight_start(struct flight *f, const struct message *message, bool sends, uintptr_t token)
{
    message_start(f->x, message, sends, &f->requests[f->count]);
    f->items[f->count++] = (struct item){*message, token, sends};
}

/* Closes the gaps that finished messages have left. */
static void compact(struct flight *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->requests[i] != MPI_REQUEST_NULL) {
            f->requests[kept] = f->requests[i];
            f->items[kept++] = f->items[i];
        }
    f->count = kept;
}

size_t flight_test(struct flight *f)
{
    int finished;
    if (f->count == 0)
        return 0;
    MPI_Testsome((int)f->count, f->requests, &finished, f->indices, f->statuses);
    for (int i = 0; i < finished; i++) {
        const struct item *item = &f->items[f->indices[i]];
        message_finish(f->x, &item->message, item->sends, &f->statuses[i]);
        f->finished[i] = item->token;
    }
    if (finished > 0)
        compact(f);
    return (size_t)finished;
}
