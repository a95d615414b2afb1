/* SPDX-License-Identifier: BSD-3-Clause
 * The messages of a rank that are under way. One thread at a time may call these functions. */
#ifndef POLLUX_BENCHMARKS_MPI_FLIGHT_H
#define POLLUX_BENCHMARKS_MPI_FLIGHT_H

#include <stdint.h>

#include "benchmarks/mpi/exchange.h"

struct item;

struct flight {
    struct exchange *x;
    size_t count;
    MPI_Request *requests; /**< the first `count` */
    struct item *items;    /**< what they are */
    int *indices;          /**< scratch of flight_test, as the next two */
    MPI_Status *statuses;
    uintptr_t *finished; /**< by flight_test: the tokens of those that it found finished */
};

/** Starts a message. At the level multiple, any thread may call this at any time. */
void message_start(struct exchange *x, const struct message *message, bool sends,
                   MPI_Request *request);

/** Room for all messages of a run. */
struct flight *flight_create(struct exchange *x);
void flight_destroy(struct flight *f);

/** Starts a message; `token` names it. */
void flight_start(struct flight *f, const struct message *message, bool sends, uintptr_t token);

/** Tests all messages at once, and takes out those that are finished.
 * @return how many; f->finished has their tokens */
size_t flight_test(struct flight *f);

#endif
