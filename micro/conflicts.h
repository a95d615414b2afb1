/* SPDX-License-Identifier: BSD-3-Clause
 * The order that follows from what tasks touch: a reader of an object waits for the last task that wrote it, a
 * writer for that one and for all readers since. */
#ifndef POLLUX_MICRO_CONFLICTS_H
#define POLLUX_MICRO_CONFLICTS_H

#include <stddef.h>

#include "micro/graph.h"

struct conflicts;

/** Ends the program with POLLUX_MACHINE if out of memory.
 * @param[out] graph receives the predecessors; its tasks are added by the caller
 * @param[in] objects how many there are
 * @param[in] tasks the most that will be added */
struct conflicts *conflicts_create(struct graph *graph, size_t objects, size_t tasks);

void conflicts_destroy(struct conflicts *conflicts);

/** The task that was added last reads, or writes, this object; what it writes it may read too. */
void conflicts_read(struct conflicts *conflicts, size_t object);
void conflicts_write(struct conflicts *conflicts, size_t object);

#endif
