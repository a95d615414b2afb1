/* SPDX-License-Identifier: BSD-3-Clause
 * Every buffer has room for all kernel calls, since one thread may run them all. Only twice a thread's
 * fair share is touched beforehand: the rest costs no memory unless it is used. */
#include "common/execution/trace.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/clock.h"
#include "common/base/statistics.h"
#include "common/execution/team.h"

void trace_begin(struct trace_buffer *buffer, struct call call, const void *object)
{
    struct trace_event *event = &buffer->events[buffer->count];
    if (buffer->tool)
        buffer->tasks[buffer->count] = buffer->tool->current();
    event->kernel = call.kernel;
    event->sizes = call.sizes;
    event->object = object;
    event->step = (uint32_t)call.step;
    event->processor_ns = buffer->processor_time ? -now_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
    event->start_ns = now_ns(CLOCK_MONOTONIC);
}

void trace_end(struct trace_buffer *buffer)
{
    struct trace_event *event = &buffer->events[buffer->count];
    event->end_ns = now_ns(CLOCK_MONOTONIC);
    if (buffer->processor_time)
        event->processor_ns += now_ns(CLOCK_THREAD_CPUTIME_ID);
    event->core = sched_getcpu();
    buffer->count++;
}

static void *reserve(size_t count, size_t size)
{
    void *memory = mmap(NULL, count * size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void release(void *memory, size_t count, size_t size)
{
    if (memory)
        munmap(memory, count * size);
}

static void buffer_reserve(struct trace_buffer *buffer, size_t events, const struct ompt_tool *tool)
{
    *buffer = (struct trace_buffer){.capacity = events, .tool = tool};
    buffer->events = reserve(events, sizeof *buffer->events);
    buffer->tasks = tool ? reserve(events, sizeof *buffer->tasks) : NULL;
}

/* Touches the pages that a thread is likely to need, on its NUMA node. */
static void touch(void *argument, size_t thread)
{
    const struct trace *trace = argument;
    struct trace_buffer *buffer = &trace->buffers[thread];
    size_t share = 2 * (buffer->capacity / trace->threads + 1);
    size_t events = share < buffer->capacity ? share : buffer->capacity;
    memset(buffer->events, 0, events * sizeof *buffer->events);
    if (buffer->tasks)
        memset(buffer->tasks, 0, events * sizeof *buffer->tasks);
}

static bool is_whole(const struct trace *trace)
{
    for (size_t t = 0; t < trace->threads; t++) {
        const struct trace_buffer *buffer = &trace->buffers[t];
        if (!buffer->events || (buffer->tool && !buffer->tasks))
            return false;
    }
    return true;
}

struct trace *trace_create(size_t threads, size_t events, const struct ompt_tool *tool)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return NULL;
    trace->buffers = aligned_alloc(sizeof *trace->buffers, threads * sizeof *trace->buffers);
    trace->threads = trace->buffers ? threads : 0;
    for (size_t t = 0; t < trace->threads; t++)
        buffer_reserve(&trace->buffers[t], events > 0 ? events : 1, tool);
    if (trace->threads == 0 || !is_whole(trace)) {
        trace_destroy(trace);
        return NULL;
    }
    team_each(threads, touch, trace);
    return trace;
}

void trace_processor_time(struct trace *trace)
{
    for (size_t t = 0; t < trace->threads; t++)
        trace->buffers[t].processor_time = true;
}

void trace_destroy(struct trace *trace)
{
    if (!trace)
        return;
    for (size_t t = 0; t < trace->threads; t++) {
        struct trace_buffer *buffer = &trace->buffers[t];
        release(buffer->events, buffer->capacity, sizeof *buffer->events);
        release(buffer->tasks, buffer->capacity, sizeof *buffer->tasks);
    }
    free(trace->buffers);
    free(trace);
}

size_t trace_calls(const struct trace *trace)
{
    size_t calls = 0;
    for (size_t t = 0; t < trace->threads; t++)
        calls += trace->buffers[t].count;
    return calls;
}

enum { LOOPS = 101, CALLS_PER_LOOP = 200 };

static double loop_ns(struct trace_buffer *buffer)
{
    int64_t start = now_ns(CLOCK_MONOTONIC);
    buffer->count = 0;
    for (size_t call = 0; call < CALLS_PER_LOOP; call++) {
        trace_begin(buffer, (struct call){.step = call}, buffer);
        trace_end(buffer);
    }
    return (double)(now_ns(CLOCK_MONOTONIC) - start) / (double)CALLS_PER_LOOP;
}

double trace_cost_ns(const struct ompt_tool *tool, bool processor_time)
{
    struct trace *trace = trace_create(1, CALLS_PER_LOOP, tool);
    double loops[LOOPS];
    if (!trace)
        return 0.0;
    if (processor_time)
        trace_processor_time(trace);
    for (size_t i = 0; i < LOOPS; i++)
        loops[i] = loop_ns(&trace->buffers[0]);
    trace_destroy(trace);
    return median(loops, LOOPS);
}
