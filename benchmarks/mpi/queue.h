/* SPDX-License-Identifier: BSD-3-Clause
 * The messages of the methods in which one thread makes all calls of MPI: it starts each when its tile allows that, and
 * tests those that are under way. */
#ifndef POLLUX_BENCHMARKS_MPI_QUEUE_H
#define POLLUX_BENCHMARKS_MPI_QUEUE_H

#include "benchmarks/mpi/flight.h"

struct entry {
    struct message message;
    atomic_bool
        ready; /**< tasks have written the tile, or no longer read the buffer: set by a task */
    bool sends, started, finished;
};

struct queue {
    struct flight *flight;
    size_t count, first; /**< all entries before the first are finished */
    size_t receiving;    /**< receives that are not finished */
    struct entry *entries;
};

/** A queue for all messages of a run; its entries stay where they are. */
struct queue *queue_create(struct exchange *x);
void queue_destroy(struct queue *q);

struct entry *queue_add(struct queue *q, struct message message, bool sends, bool ready);

/** Whether the last receive into a buffer is not finished yet. */
bool queue_receives(const struct queue *q, const void *buffer);

/** Starts what can be, and tests what has been. @return how many messages were finished */
size_t queue_progress(struct queue *q);

/** Whether all messages are finished. */
bool queue_is_empty(const struct queue *q);

/** Gives up the processor for a moment, longer after many calls in a row without progress.
 * @param[in] idle calls so far */
void queue_pause(size_t idle);

#endif
