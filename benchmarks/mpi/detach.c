/* SPDX-License-Identifier: BSD-3-Clause
 * `detach`: who looks for finished messages tests all requests at once (flight.h), one thread at a time. */
#include <pthread.h>
#include <stdlib.h>

#include "benchmarks/mpi/detached.h"
#include "benchmarks/mpi/flight.h"
#include "common/base/sizes.h"

enum { BLOCK = 16 }; /* events that a thread fulfils before it looks for more */

/* The lock keeps all threads but one out of MPI (MPI_THREAD_SERIALIZED). */
struct requests {
    struct exchange *x;
    struct flight *flight;
    size_t finished, taken; /* messages that the last test found, and those of them whose events a thread has taken */
    pthread_mutex_t lock;
};

/* Up to a block of events to fulfil. The caller has the lock. */
static size_t take_events(struct requests *r, uintptr_t *events)
{
    if (r->taken == r->finished) {
        r->finished = flight_test(r->flight);
        r->taken = 0;
    }
    size_t count = smaller(r->finished - r->taken, BLOCK);
    for (size_t i = 0; i < count; i++)
        events[i] = r->flight->finished[r->taken++];
    return count;
}

/* The lock is free while events are fulfilled. Where another thread tests, there is nothing to do. */
static void test(void *own)
{
    struct requests *r = own;
    uintptr_t events[BLOCK];
    size_t count = BLOCK;
    while (count == BLOCK && pthread_mutex_trylock(&r->lock) == 0) {
        count = take_events(r, events);
        pthread_mutex_unlock(&r->lock);
        for (size_t i = 0; i < count; i++)
            detached_fulfill(r->x, events[i]);
    }
}

static void start(void *own, const struct message *message, bool sends, uintptr_t event)
{
    struct requests *r = own;
    pthread_mutex_lock(&r->lock);
    flight_start(r->flight, message, sends, event);
    pthread_mutex_unlock(&r->lock);
}

static void release(void *own)
{
    struct requests *r = own;
    pthread_mutex_destroy(&r->lock);
    flight_destroy(r->flight);
    free(r);
}

static void create(struct exchange *x)
{
    static const struct carrier carrier = {.start = start, .test = test, .destroy = release};
    struct requests *r = calloc(1, sizeof *r);
    if (!r)
        world_fail(POLLUX_MACHINE, "no memory");
    r->x = x;
    r->flight = flight_create(x);
    pthread_mutex_init(&r->lock, NULL);
    detached_create(x, &carrier, r);
}

const struct method exchange_detach = {.name = "detach",
                                       .level = MPI_THREAD_SERIALIZED,
                                       .detached = true,
                                       .create = create,
                                       .begin = detached_begin,
                                       .receive = detached_receive,
                                       .send = detached_send,
                                       .complete = detached_complete,
                                       .pass = detached_pass,
                                       .end = detached_end,
                                       .destroy = detached_destroy};
