/* SPDX-License-Identifier: BSD-3-Clause
 * jansson refuses NaN: what is not known becomes null, with its reason in `unknown`. */
#include <math.h>

#include "micro/output.h"

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *size_json(size_t value)
{
    return json_integer((json_int_t)value);
}

static void add_terms(json_t *record, const struct terms *terms)
{
    json_t *known = json_object(), *unknown = json_object();
    for (enum term t = 0; t < TERMS; t++) {
        json_object_set_new(known, term_names[t], real_or_null(terms->ns[t]));
        if (terms->reason[t])
            json_object_set_new(unknown, term_names[t], json_string(terms->reason[t]));
    }
    json_object_set_new(record, "terms", known);
    json_object_set_new(record, "unknown", unknown);
}

static void add_configuration(json_t *record, const struct micro_configuration *c)
{
    json_object_set_new(record, "pattern", json_string(c->pattern->name));
    json_object_set_new(record, "tasks", size_json(c->tasks));
    json_object_set_new(record, "items",
                        c->pattern->chosen_items ? size_json(c->items) : json_null());
    json_object_set_new(record, "distance_bytes", size_json(c->distance));
    json_object_set_new(record, "threads", size_json(c->threads));
}

static void add_times(json_t *record, const struct micro_configuration *c,
                      const struct repetition *r)
{
    json_object_set_new(record, "ns_per_task", real_or_null(r->ungated_ns / (double)c->tasks));
    json_object_set_new(record, "whole_ns", real_or_null(r->ungated_ns));
    json_object_set_new(record, "created_ns", real_or_null(r->created_ns));
    json_object_set_new(record, "emptied_ns", real_or_null(r->emptied_ns));
    add_terms(record, &r->terms);
    json_object_set_new(record, "body_ns", json_real(r->body_ns));
}

static void add_memory(json_t *record, const struct micro_context *context)
{
    json_object_set_new(record, "bytes_per_task", real_or_null(context->task_bytes));
    if (context->bytes_reason)
        json_object_set_new(json_object_get(record, "unknown"), "bytes_per_task",
                            json_string(context->bytes_reason));
}

json_t *micro_record(const struct micro_context *context, const struct micro_configuration *c,
                     const struct repetition *r, size_t repetition)
{
    json_t *record =
        json_pack("{s:s, s:s}", "schema", "pollux-micro/1", "benchmark", "task-overhead");
    add_configuration(record, c);
    json_object_set_new(record, "repetition", size_json(repetition));
    json_object_set_new(record, "seed", json_integer((json_int_t)context->seed));
    add_times(record, c, r);
    json_object_set_new(record, "clock_ns", json_real(context->clock_ns));
    add_memory(record, context);
    json_object_set_new(record, "passed", json_boolean(r->passed));
    json_object_set_new(record, "fault", r->passed ? json_null() : json_string(r->fault));
    json_object_set_new(record, "start_unix_ns", json_integer(r->start_unix_ns));
    json_object_set_new(record, "end_unix_ns", json_integer(r->end_unix_ns));
    json_object_set(record, "bindings", context->bindings);
    json_object_set(record, "runtime", context->process->runtime);
    json_object_set(record, "compiler", context->process->compiler);
    json_object_set(record, "host", context->process->host);
    return record;
}
