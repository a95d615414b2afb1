/* SPDX-License-Identifier: BSD-3-Clause
 * Memory for what is recorded of tasks: each thread takes from its own, without a lock. */
#ifndef POLLUX_COMMON_OMPT_ARENA_H
#define POLLUX_COMMON_OMPT_ARENA_H

#include <stdalign.h>
#include <stdatomic.h>

#include "common/ompt/tool.h"

enum { CACHE_LINE = 64 };

/** What is recorded of a task. On a cache line of its own: the creator and the thread that starts it write to it. */
struct noted_task {
    alignas(CACHE_LINE) struct ompt_task task;
};

/** One thread's memory. */
struct arena;

/** The memory of all threads. */
struct arenas {
    _Atomic(struct arena *) first;
};

/** A new arena for the calling thread, or NULL if out of memory. */
struct arena *arenas_add(struct arenas *arenas);

/** Discards all tasks and keeps the memory; no thread may take one meanwhile. */
void arenas_rewind(struct arenas *arenas);

/** Frees all memory; no thread may take a task meanwhile. */
void arenas_destroy(struct arenas *arenas);

/** The next task, of unknown content, or NULL if out of memory; only on the arena's own thread. */
struct noted_task *arena_take(struct arena *arena);

#endif
