/* SPDX-License-Identifier: BSD-3-Clause
 * Addresses become coordinates here, after the timed region. */
#include "common/output/trace_file.h"

#include "common/output/kernel_list.h"
#include "common/run/coordinates.h"

static const char *const columns[] = {"kernel", "step", "i",        "j",
                                      "thread", "core", "start_ns", "end_ns"};
static const char *const task_columns[] = {"task", "created_ns", "creator", "scheduled_ns"};

static const char processor_column[] = "processor_ns";

enum { COLUMNS = 8, TASK_COLUMNS = 4, COLUMNS_MAX = COLUMNS + WORK_COLUMNS + TASK_COLUMNS + 1 };

/* The input of the lines of one trace. */
struct source {
    const struct trace *trace;
    const struct problem *problem;
    const struct benchmark *benchmark;
    const struct outcome *outcome;
    struct kernel_list kernels;
};

static void add_names(json_t *list, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(names[i]));
}

static json_t *columns_json(const struct trace *trace)
{
    json_t *list = json_array();
    add_names(list, columns, COLUMNS);
    add_names(list, work_columns, WORK_COLUMNS);
    if (trace->buffers[0].tool)
        add_names(list, task_columns, TASK_COLUMNS);
    if (trace->buffers[0].processor_time)
        json_array_append_new(list, json_string(processor_column));
    return list;
}

/* The header names everything that events refer to by number. */
static void number_kernels(struct source *s)
{
    int64_t work[WORK_COLUMNS];
    for (size_t t = 0; t < s->trace->threads; t++)
        for (size_t e = 0; e < s->trace->buffers[t].count; e++) {
            const struct trace_event *event = &s->trace->buffers[t].events[e];
            kernel_number(&s->kernels, event->kernel);
            work_numbers(&s->kernels, event->kernel, event->sizes, work);
        }
}

static void write_header(struct event_file *file, const struct source *s, json_t *record,
                         double event_cost_ns)
{
    const struct team_run *region = &s->outcome->region;
    json_t *header = json_pack("{s:s, s:O}", "schema", "pollux-trace/1", "record", record);
    kernel_list_describe(&s->kernels, header);
    json_t *times =
        json_pack("{s:o, s:I, s:I, s:I, s:f}", "columns", columns_json(s->trace), "submitter",
                  (json_int_t)region->submitter, "submitted_ns",
                  (json_int_t)(region->submitted_ns - region->start_ns), "region_ns",
                  (json_int_t)(region->end_ns - region->start_ns), "event_cost_ns", event_cost_ns);
    json_object_update(header, times);
    json_decref(times);
    if (s->benchmark->processes)
        json_object_set_new(header, "rank",
                            s->benchmark->processes->describe_trace(s->problem, region->start_ns));
    event_file_header(file, header);
    json_decref(header);
}

/* The submitting task has no times. */
static void add_task(const struct source *s, const struct ompt_task *task, int64_t *numbers)
{
    int64_t start = s->outcome->region.start_ns;
    bool explicit = task->number > 0;
    numbers[0] = (int64_t)task->number;
    numbers[1] = explicit ? task->created_ns - start : -1;
    numbers[2] = explicit ? task->creator : -1;
    numbers[3] = explicit ? task->scheduled_ns - start : -1;
}

static void write_event(struct event_file *file, struct source *s, size_t thread, size_t index)
{
    const struct trace_buffer *buffer = &s->trace->buffers[thread];
    const struct trace_event *event = &buffer->events[index];
    int64_t start = s->outcome->region.start_ns;
    struct coordinates at = coordinates_of(s->benchmark, s->problem, event->step, event->object);
    int64_t numbers[COLUMNS_MAX] = {(int64_t)kernel_number(&s->kernels, event->kernel),
                                    event->step,
                                    (int64_t)at.i,
                                    (int64_t)at.j,
                                    (int64_t)thread,
                                    event->core,
                                    event->start_ns - start,
                                    event->end_ns - start};
    size_t count = COLUMNS + WORK_COLUMNS;
    work_numbers(&s->kernels, event->kernel, event->sizes, numbers + COLUMNS);
    if (buffer->tool) {
        add_task(s, &buffer->tasks[index], numbers + count);
        count += TASK_COLUMNS;
    }
    if (buffer->processor_time)
        numbers[count++] = event->processor_ns;
    event_file_numbers(file, numbers, count);
}

static void write_message(void *file, const int64_t *numbers, size_t count)
{
    event_file_numbers(file, numbers, count);
}

static void write_messages(struct event_file *file, const struct source *s)
{
    json_t *header = json_pack("{s:s}", "schema", "pollux-messages/1");
    event_file_header(file, header);
    json_decref(header);
    s->benchmark->processes->trace_messages(s->problem, s->outcome->region.start_ns, write_message,
                                            file);
}

void trace_write(struct event_file *file, const struct trace *trace, const struct problem *problem,
                 const struct benchmark *benchmark, const struct outcome *outcome, json_t *record,
                 double event_cost_ns)
{
    struct source s = {trace, problem, benchmark, outcome, {0}};
    number_kernels(&s);
    write_header(file, &s, record, event_cost_ns);
    for (size_t t = 0; t < trace->threads; t++)
        for (size_t e = 0; e < trace->buffers[t].count; e++)
            write_event(file, &s, t, e);
    if (benchmark->processes)
        write_messages(file, &s);
    event_file_flush(file);
}
