/* SPDX-License-Identifier: BSD-3-Clause
 * `callback`: requests are left to the library MPI Detach, which calls back for each that has finished. Threads start
 * messages while others test them: MPI_THREAD_MULTIPLE. */
#include <mpi-detach.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/mpi/detached.h"
#include "benchmarks/mpi/flight.h"

struct item {
    struct exchange *x;
    struct message message;
    bool sends;
    uintptr_t event;
};

static void finish(void *data, MPI_Status *status)
{
    struct item item = *(struct item *)data;
    free(data);
    message_finish(item.x, &item.message, item.sends, status);
    detached_fulfill(item.x, item.event);
}

/* A message that has finished already is called back for at once. */
static void start(void *own, const struct message *message, bool sends, uintptr_t event)
{
    struct item *item = malloc(sizeof *item);
    if (!item)
        world_fail(POLLUX_MACHINE, "no memory");
    *item = (struct item){own, *message, sends, event};
    MPI_Request request;
    message_start(own, message, sends, &request);
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

static bool library_has_thread(void)
{
    const char *mode = getenv("MPIX_DETACH");
    return mode && strcmp(mode, "progress") == 0;
}

static void begin(struct exchange *x)
{
    static const struct carrier own_progress = {start, test, leave},
                                its_progress = {start, leave, leave};
    detached_begin(x, library_has_thread() ? &its_progress : &own_progress, x);
}

const struct method exchange_callback = {.name = "callback",
                                         .level = MPI_THREAD_MULTIPLE,
                                         .detached = true,
                                         .begin = begin,
                                         .receive = detached_receive,
                                         .send = detached_send,
                                         .complete = detached_complete,
                                         .pass = detached_pass,
                                         .end = detached_end};
