/* SPDX-License-Identifier: BSD-3-Clause
 * When and where each kernel call of one factorization ran. Each thread writes to a buffer of its own,
 * allocated before the timed region: in it nothing is shared, locked or allocated. */
#ifndef POLLUX_COMMON_TRACE_H
#define POLLUX_COMMON_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/execution/kernel.h"
#include "common/ompt/tool.h"

/** One kernel call. Times are CLOCK_MONOTONIC. */
struct trace_event {
    const struct kernel *kernel;
    const void *object; /**< what names the call */
    int64_t start_ns, end_ns;
    struct call_sizes sizes;
    uint32_t step;
    int32_t core;         /**< the logical processor on which it ended */
    int64_t processor_ns; /**< how long its thread ran on a processor; 0 unless requested */
};

/** The events of one thread, on a cache line of its own. */
struct trace_buffer {
    struct trace_event *events;
    struct ompt_task *tasks; /**< of each event; NULL without a tool */
    const struct ompt_tool *tool;
    size_t count, capacity;
    bool processor_time; /**< events record how long the thread ran on a processor */
    char padding[64 - 3 * sizeof(void *) - 2 * sizeof(size_t) - sizeof(bool)];
};

/** The events of all threads of a team. */
struct trace {
    size_t threads;
    struct trace_buffer *buffers; /**< one for each thread */
};

/** Allocates room for `events` kernel calls on each thread, and touches the pages likely to be used.
 * @param[in] tool the tool that reports tasks, or NULL
 * @return NULL if out of memory; release with trace_destroy */
struct trace *trace_create(size_t threads, size_t events, const struct ompt_tool *tool);

/** From now on events record how long their thread ran on a processor, at a cost of two system calls each.
 * On a shared machine this is the time of the kernel itself, without that of other processes. */
void trace_processor_time(struct trace *trace);

/** Releases; NULL is fine. */
void trace_destroy(struct trace *trace);

/** Kernel calls that all threads recorded. */
size_t trace_calls(const struct trace *trace);

/** Records the start of a kernel call of the buffer's thread. */
void trace_begin(struct trace_buffer *buffer, struct call call, const void *object);

/** Records its end. */
void trace_end(struct trace_buffer *buffer);

/** The time that trace_begin and trace_end take together for one call, measured now: the median of many
 * short loops, in nanoseconds. 0 if out of memory. */
double trace_cost_ns(const struct ompt_tool *tool, bool processor_time);

#endif
