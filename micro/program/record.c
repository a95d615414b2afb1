/* SPDX-License-Identifier: BSD-3-Clause
 * jansson refuses NaN: what is not known becomes null, with its reason in `unknown`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/run/parameters.h"
#include "micro/program/session.h"

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *size_json(size_t value)
{
    return json_integer((json_int_t)value);
}

void micro_set_real(struct micro_result *result, const char *field, double value)
{
    json_object_set_new(result->fields, field, real_or_null(value));
}

const char *micro_field(const struct micro_parameter *parameter, char *field)
{
    snprintf(field, FIELD_SIZE, "%s", parameter->field ? parameter->field : parameter->option.name);
    for (char *c = field; *c; c++)
        if (*c == '-')
            *c = '_';
    return field;
}

static void add_point(json_t *record, const struct micro_program *program,
                      const struct micro_point *point)
{
    char field[FIELD_SIZE];
    json_object_set_new(record, program->variant_option, json_string(point->variant->name));
    if (program->size.option)
        json_object_set_new(record, program->size.option, size_json(point->size));
    for (size_t i = 0; i < program->parameter_count; i++) {
        const struct micro_parameter *p = &program->parameters[i];
        json_object_set_new(record, micro_field(p, field),
                            micro_has_parameter(point->variant, i)
                                ? parameter_json(&p->option, point->parameter[i])
                                : json_null());
    }
    json_object_set_new(record, "threads", size_json(micro_point_threads(point)));
}

/* A repetition that failed has a fault, which is why its headline is not known. */
static void add_quantities(json_t *record, const struct micro_program *program,
                           const struct micro_result *result)
{
    json_t *terms = json_object(), *unknown = json_object();
    for (size_t q = 0; q < program->quantity_count; q++) {
        const char *name = program->quantities[q].name;
        json_object_set_new(q == 0 ? record : terms, name, real_or_null(result->ns[q]));
        if (result->reason[q] && (q > 0 || result->passed))
            json_object_set_new(unknown, name, json_string(result->reason[q]));
    }
    json_object_set_new(record, "terms", terms);
    json_object_update(record, result->fields);
    json_object_update(unknown, result->unknown);
    json_object_set_new(record, "unknown", unknown);
}

json_t *micro_record(const struct micro_subject *subject, const struct micro_result *r,
                     size_t repetition)
{
    const struct micro_context *context = subject->context;
    json_t *record =
        json_pack("{s:s, s:s}", "schema", "pollux-micro/1", "benchmark", subject->program->name);
    add_point(record, subject->program, subject->point);
    json_object_set_new(record, "repetition", size_json(repetition));
    json_object_set_new(record, "seed", json_integer((json_int_t)context->seed));
    add_quantities(record, subject->program, r);
    json_object_set_new(record, "clock_ns", json_real(context->clock_ns));
    json_object_set_new(record, "passed", json_boolean(r->passed));
    json_object_set_new(record, "fault", r->passed ? json_null() : json_string(r->fault));
    json_object_set_new(record, "start_unix_ns", json_integer(r->start_unix_ns));
    json_object_set_new(record, "end_unix_ns", json_integer(r->end_unix_ns));
    json_object_set(record, "bindings", subject->bindings);
    json_object_set(record, "runtime", subject->process->runtime);
    json_object_set(record, "compiler", subject->process->compiler);
    json_object_set(record, "host", subject->process->host);
    return record;
}
