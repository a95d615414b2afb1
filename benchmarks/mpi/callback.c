/* SPDX-License-Identifier: BSD-3-Clause
 * `callback`: requests are left to the library MPI Detach, which calls back for each that has finished. Threads start
 * messages while others test them: MPI_THREAD_MULTIPLE. */
#include <mpi-detach.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/mpi/detached.h"
#include "benchmarks/mpi/flight.h"
#include "common/base/sizes.h"

struct item {
    struct exchange *x;
    struct message message;
    bool sends;
    uintptr_t event;
};

/* All messages of a run. */
struct requests {
    struct exchange *x;
    struct item *items;
    atomic_size_t started;
};

static void finish(void *data, MPI_Status *status)
{
    const struct item *item = data;
    message_finish(item->x, &item->message, item->sends, status);
    detached_fulfill(item->x, item->event);
}

/* A message that has finished already is called back for at once. */
static void start(void *own, const struct message *message, bool sends, uintptr_t event)
{
    struct requests *r = own;
    struct item *item = &r->items[atomic_fetch_add(&r->started, 1)];
    *item = (struct item){r->x, *message, sends, event};
    MPI_Request request;
    message_start(r->x, message, sends, &request);
    MPIX_Detach_status(&request, finish, item);
}

/* The library lets one thread at a time test, and the others go on. */
static void test(void *own)
{
    (void)own;
    MPIX_Progress(NULL);
}

/* The library's thread takes new requests without the lock that MPIX_Progress holds: where it runs, nobody else tests. */
static void leave(void *own)
{
    (void)own;
}

static void release(void *own)
{
    struct requests *r = own;
    free(r->items);
    free(r);
}

static bool library_has_thread(void)
{
    const char *mode = getenv("MPIX_DETACH");
    return mode && strcmp(mode, "progress") == 0;
}

static void create(struct exchange *x)
{
    static const struct carrier own_progress = {start, test, release},
                                its_progress = {start, leave, release};
    struct requests *r = calloc(1, sizeof *r);
    if (r)
        *r = (struct requests){.x = x, .items = calloc(larger(x->transfers, 1), sizeof *r->items)};
    if (!r || !r->items)
        world_fail(POLLUX_MACHINE, "no memory for %zu messages", x->transfers);
    detached_create(x, library_has_thread() ? &its_progress : &own_progress, r);
}

const struct method exchange_callback = {.name = "callback",
                                         .level = MPI_THREAD_MULTIPLE,
                                         .detached = true,
                                         .create = create,
                                         .begin = detached_begin,
                                         .receive = detached_receive,
                                         .send = detached_send,
                                         .complete = detached_complete,
                                         .pass = detached_pass,
                                         .end = detached_end,
                                         .destroy = detached_destroy};
