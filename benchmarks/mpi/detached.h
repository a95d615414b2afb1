/* SPDX-License-Identifier: BSD-3-Clause
 * Messages as detached tasks: a send or a receive is a task that starts the message and returns; it is complete when its
 * event is fulfilled. What the variants share that do so: the tasks, who looks for messages that have finished and when, and
 * what runtimes need (docs/messages.md). */
#ifndef POLLUX_BENCHMARKS_MPI_DETACHED_H
#define POLLUX_BENCHMARKS_MPI_DETACHED_H

#include <stdint.h>

#include "benchmarks/mpi/exchange.h"

/** How a variant starts messages and finds those that have finished. All threads of the team call these, and one more. */
struct carrier {
    /** When the message has finished, by whatever thread, `event` is to be handed to detached_fulfill. */
    void (*start)(void *own, const struct message *message, bool sends, uintptr_t event);
    /** Looks for messages that have finished, unless another thread does. */
    void (*test)(void *own);
    void (*destroy)(void *own);
};

/** To be called by `create` of the method, the others of which are the functions below.
 * @param[in] own the carrier's own: destroyed by detached_destroy */
void detached_create(struct exchange *x, const struct carrier *carrier, void *own);
void detached_begin(struct exchange *x);
void detached_receive(struct exchange *x, struct message message);
void detached_send(struct exchange *x, struct message message);
void detached_complete(struct exchange *x);
void detached_pass(struct exchange *x);
void detached_end(struct exchange *x);
void detached_destroy(struct exchange *x);

/** Fulfils the event of a message that has finished. That may run tasks, which start messages. */
void detached_fulfill(struct exchange *x, uintptr_t event);

#endif
