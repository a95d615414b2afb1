/* SPDX-License-Identifier: BSD-3-Clause
 * What the tasks of one factorization share: the first failure, each thread's workspace, and an
 * observer of kernel calls that is absent while times are taken. */
#ifndef POLLUX_COMMON_EXECUTION_H
#define POLLUX_COMMON_EXECUTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How a kernel uses a tile. A tile that is written counts as read too. */
enum access_mode { ACCESS_READ, ACCESS_WRITE };

/** One tile (by its address) or other shared object that a kernel touches. */
struct access {
    const void *object;
    enum access_mode mode;
};

/** Told of every kernel call, before the kernel computes. */
struct observer {
    void (*kernel)(void *context, const char *name, size_t step, const struct access *accesses,
                   size_t count);
    void *context;
};

/** What one thread owns, on cache lines of its own. */
struct worker {
    double *workspace;     /**< scratch memory of the size given to execution_create */
    uint64_t kernel_count; /**< kernels run since execution_reset */
    char padding[64 - sizeof(double *) - sizeof(uint64_t)];
};

/** Shared by all tasks of a run. */
struct execution {
    atomic_int_least64_t failure; /**< 0, or the smallest 1-based column that failed */
    size_t threads;               /**< length of workers */
    struct worker *workers;
    const struct observer *observer; /**< NULL while times are taken */
};

/** Reserves and touches the workspaces.
 * @param[in] threads number of threads that will run kernels
 * @param[in] doubles workspace of each, in doubles
 * @return NULL without memory; else to be given to execution_destroy. */
struct execution *execution_create(size_t threads, size_t doubles);

/** Releases; NULL is fine. */
void execution_destroy(struct execution *x);

/** Forgets failure and counts before another repetition. */
void execution_reset(struct execution *x);

/** Records that the factorization broke down at this 1-based column. The smallest column wins, so
 * that the report does not depend on which of several tasks came first. */
void execution_fail(struct execution *x, size_t column);

/** True once a task has failed: later kernels return at once. */
bool execution_failed(const struct execution *x);

/** The calling thread's own data. */
struct worker *execution_worker(struct execution *x);

/** Kernels run by all threads since execution_reset. */
uint64_t execution_kernel_count(const struct execution *x);

/** Counts a kernel of the calling thread.
 * @return false if an earlier failure makes this kernel a no-op. */
bool execution_begin(struct execution *x);

/** Called first by every kernel that touches a few tiles: shows them to the observer, if there is
 * one, and begins the kernel.
 * @return as execution_begin */
bool execution_enter(struct execution *x, const char *name, size_t step,
                     const struct access *accesses, size_t count);

#endif
