/* SPDX-License-Identifier: BSD-3-Clause
 * Of two messages with the same buffer, the later one starts when the earlier one is finished. */
#include "benchmarks/mpi/queue.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/sizes.h"

enum { YIELDS = 64 };

static const long PAUSE_NS = 20000;

struct queue *queue_create(struct exchange *x)
{
    struct queue *q = calloc(1, sizeof *q);
    if (q)
        q->entries = calloc(larger(x->transfers, 1), sizeof *q->entries);
    if (!q || !q->entries)
        world_fail(POLLUX_MACHINE, "no memory for %zu messages", x->transfers);
    q->flight = flight_create(x);
    return q;
}

void queue_destroy(struct queue *q)
{
    flight_destroy(q->flight);
    free(q->entries);
    free(q);
}

struct entry *queue_add(struct queue *q, struct message message, bool sends, bool ready)
{
    struct entry *entry = &q->entries[q->count++];
    entry->message = message;
    entry->sends = sends;
    atomic_init(&entry->ready, ready);
    q->receiving += !sends;
    return entry;
}

bool queue_receives(const struct queue *q, const void *buffer)
{
    for (size_t i = q->count; i-- > q->first;)
        if (!q->entries[i].sends && q->entries[i].message.buffer == buffer)
            return !q->entries[i].finished;
    return false;
}

/* Whether an earlier message has the same buffer, and not both only read it. */
static bool must_wait(const struct queue *q, const struct entry *entry)
{
    for (const struct entry *e = &q->entries[q->first]; e < entry; e++)
        if (!e->finished && e->message.buffer == entry->message.buffer &&
            !(e->sends && entry->sends))
            return true;
    return false;
}

static void start(struct queue *q)
{
    for (size_t i = q->first; i < q->count; i++) {
        struct entry *entry = &q->entries[i];
        if (entry->started || !atomic_load(&entry->ready) || must_wait(q, entry))
            continue;
        flight_start(q->flight, &entry->message, entry->sends, i);
        entry->started = true;
    }
}

size_t queue_progress(struct queue *q)
{
    start(q);
    size_t finished = flight_test(q->flight);
    for (size_t i = 0; i < finished; i++) {
        struct entry *entry = &q->entries[q->flight->finished[i]];
        entry->finished = true;
        q->receiving -= !entry->sends;
    }
    while (q->first < q->count && q->entries[q->first].finished)
        q->first++;
    return finished;
}

bool queue_is_empty(const struct queue *q)
{
    return q->first == q->count;
}

void queue_pause(size_t idle)
{
    const struct timespec pause = {0, PAUSE_NS};
    if (idle < YIELDS)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}
