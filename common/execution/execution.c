/* SPDX-License-Identifier: BSD-3-Clause
 * Each workspace is first touched by its thread when created: timed tasks cause no page faults, and
 * pages are on the NUMA node of the thread that uses them. */
#include "common/execution/execution.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/execution/trace.h"

enum { LINE_BYTES = 64 };

static double *touched_doubles(size_t doubles)
{
    size_t bytes = (doubles * sizeof(double) / LINE_BYTES + 1) * LINE_BYTES;
    double *memory = aligned_alloc(LINE_BYTES, bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

struct execution *execution_create(size_t threads, size_t doubles)
{
    struct execution *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->threads = threads;
    x->workers = aligned_alloc(LINE_BYTES, threads * sizeof *x->workers);
    if (!x->workers) {
        free(x);
        return NULL;
    }
    memset(x->workers, 0, threads * sizeof *x->workers);
#pragma omp parallel for schedule(static) num_threads((int)threads)
    for (size_t t = 0; t < threads; t++)
        x->workers[t].workspace = touched_doubles(doubles);
    for (size_t t = 0; t < threads; t++)
        if (!x->workers[t].workspace) {
            execution_destroy(x);
            return NULL;
        }
    return x;
}

void execution_destroy(struct execution *x)
{
    if (!x)
        return;
    for (size_t t = 0; t < x->threads; t++)
        free(x->workers[t].workspace);
    free(x->workers);
    free(x);
}

void execution_trace(struct execution *x, struct trace *trace)
{
    x->tracing = trace != NULL;
    for (size_t t = 0; t < x->threads; t++)
        x->workers[t].trace = trace ? &trace->buffers[t] : NULL;
}

void execution_reset(struct execution *x)
{
    atomic_store(&x->failure, 0);
    atomic_store(&x->outer_team, 0);
    atomic_store(&x->inner_team, 0);
    x->submitted_ns = 0;
    for (size_t t = 0; t < x->threads; t++)
        x->workers[t].kernel_count = 0;
}

void execution_fail(struct execution *x, size_t column)
{
    int_least64_t known = atomic_load(&x->failure);
    while ((known == 0 || (int_least64_t)column < known) &&
           !atomic_compare_exchange_weak(&x->failure, &known, (int_least64_t)column))
        continue;
}

bool execution_failed(const struct execution *x)
{
    return atomic_load_explicit(&x->failure, memory_order_relaxed) != 0;
}

/* Keeps the smallest. */
static void note_threads(atomic_int_least64_t *fewest, int_least64_t threads)
{
    int_least64_t known = atomic_load(fewest);
    while ((known == 0 || threads < known) &&
           !atomic_compare_exchange_weak(fewest, &known, threads))
        continue;
}

void execution_note_outer_team(struct execution *x)
{
    note_threads(&x->outer_team, omp_get_num_threads());
}

void execution_note_outer_threads(struct execution *x, size_t threads)
{
    note_threads(&x->outer_team, (int_least64_t)threads);
}

void execution_note_inner_team(struct execution *x)
{
    note_threads(&x->inner_team, omp_get_num_threads());
}

void execution_note_submitted(struct execution *x)
{
    x->submitted_ns = now_ns(CLOCK_MONOTONIC);
}

size_t execution_outer_team(const struct execution *x)
{
    return (size_t)atomic_load(&x->outer_team);
}

size_t execution_inner_team(const struct execution *x)
{
    return (size_t)atomic_load(&x->inner_team);
}

struct worker *execution_worker(struct execution *x)
{
    return &x->workers[omp_get_thread_num()];
}

uint64_t execution_kernel_count(const struct execution *x)
{
    uint64_t count = 0;
    for (size_t t = 0; t < x->threads; t++)
        count += x->workers[t].kernel_count;
    return count;
}

bool execution_begin(struct execution *x, struct call call, const void *object)
{
    struct worker *worker = execution_worker(x);
    worker->kernel_count++;
    if (x->describing || execution_failed(x))
        return false;
    worker->computing++;
    if (worker->trace)
        trace_begin(worker->trace, call, object);
    return true;
}

bool execution_enter(struct execution *x, struct call call, const struct access *accesses,
                     size_t count)
{
    if (x->observer)
        x->observer->kernel(x->observer->context, call, accesses, count);
    return execution_begin(x, call, accesses[count - 1].object);
}

void execution_leave(struct execution *x)
{
    struct worker *worker = execution_worker(x);
    worker->computing--;
    if (x->tracing)
        trace_end(worker->trace);
    if (x->attendant)
        x->attendant->attend(x->attendant->context);
}
