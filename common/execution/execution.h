/* SPDX-License-Identifier: BSD-3-Clause
 * What the tasks of one factorization share: the first failure, each thread's workspace and trace, and
 * an observer of kernel calls that is absent while times are taken. */
#ifndef POLLUX_COMMON_EXECUTION_H
#define POLLUX_COMMON_EXECUTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/execution/kernel.h"

/** How a kernel uses a tile. A tile that is written counts as read too. */
enum access_mode { ACCESS_READ, ACCESS_WRITE };

/** One tile (by its address) or other shared object that a kernel touches. */
struct access {
    const void *object;
    enum access_mode mode;
};

/** Called at every kernel call, before the kernel computes. The last access is to the object that names
 * the call (docs/traces.md). */
struct observer {
    void (*kernel)(void *context, struct call call, const struct access *accesses, size_t count);
    void *context;
};

/** Called at the end of every kernel, by its thread: what has to be looked after from time to time while tasks run. */
struct attendant {
    void (*attend)(void *context);
    void *context;
};

struct trace;
struct trace_buffer;

/** What one thread owns, on cache lines of its own. */
struct worker {
    double *workspace;          /**< scratch memory of the size given to execution_create */
    uint64_t kernel_count;      /**< kernels run since execution_reset */
    uint64_t computing;         /**< kernels that compute now: one, or some inside each other */
    struct trace_buffer *trace; /**< NULL unless the run is traced */
    char padding[64 - 2 * sizeof(void *) - 2 * sizeof(uint64_t)];
};

/** Shared by all tasks of a run. */
struct execution {
    atomic_int_least64_t failure; /**< 0, or the smallest 1-based column that failed */
    /** The fewest threads that a team had: one that runs tasks, or one inside a task; 0: none yet. */
    atomic_int_least64_t outer_team, inner_team;
    int64_t submitted_ns; /**< when the last task had been created; 0: not noted */
    size_t threads;       /**< length of workers */
    struct worker *workers;
    const struct observer *observer;   /**< NULL while times are taken */
    const struct attendant *attendant; /**< NULL: nothing has to be */
    bool describing;                   /**< kernels report to the observer and do not compute */
    bool tracing;                      /**< each worker has a trace buffer */
};

/** Allocates and touches the workspaces.
 * @param[in] threads number of threads that will run kernels
 * @param[in] doubles workspace of each, in doubles
 * @return NULL if out of memory; release with execution_destroy. */
struct execution *execution_create(size_t threads, size_t doubles);

/** Releases; NULL is fine. */
void execution_destroy(struct execution *x);

/** From now on every worker writes to the trace's buffer of its thread; NULL: no longer. */
void execution_trace(struct execution *x, struct trace *trace);

/** Clears failure, team sizes and counts before another repetition. */
void execution_reset(struct execution *x);

/** Records that the factorization broke down at this 1-based column. The smallest column wins, so
 * that the report does not depend on which of several tasks came first. */
void execution_fail(struct execution *x, size_t column);

/** True once a task has failed: later kernels return at once. */
bool execution_failed(const struct execution *x);

/** Called by one thread of each parallel region that runs tasks, or cells of a loop, and of each inside these:
 * notes how many threads the runtime gave. */
void execution_note_outer_team(struct execution *x);
void execution_note_inner_team(struct execution *x);

/** The same of a region some of whose threads run no tasks: how many do. */
void execution_note_outer_threads(struct execution *x, size_t threads);

/** Called by the thread that creates the tasks of a variant, when it has created the last one and goes on to something
 * else, such as a taskwait. The last call counts. */
void execution_note_submitted(struct execution *x);

/** The fewest threads that such a region had since execution_reset; 0 if none was noted. */
size_t execution_outer_team(const struct execution *x);
size_t execution_inner_team(const struct execution *x);

/** The calling thread's own data; not to be called in a parallel region inside a task. */
struct worker *execution_worker(struct execution *x);

/** Kernels run by all threads since execution_reset. */
uint64_t execution_kernel_count(const struct execution *x);

/** Begins a kernel of the calling thread: counts it, and records its start where the run is traced.
 * @param[in] object the object that names the call: the last tile in its argument list that it writes
 * @return false if the kernel must not compute, because an earlier one failed or the graph is only
 *         being described; else execution_leave must follow */
bool execution_begin(struct execution *x, struct call call, const void *object);

/** Called first by every kernel that touches a few objects: reports them to the observer, if there
 * is one, and begins the kernel; the last of them names the call.
 * @return as execution_begin */
bool execution_enter(struct execution *x, struct call call, const struct access *accesses,
                     size_t count);

/** Ends the kernel that the calling thread began. */
void execution_leave(struct execution *x);

#endif
