/* SPDX-License-Identifier: BSD-3-Clause
 * jansson refuses NaN: what is not known becomes null, with its reason in `unknown`. */
#include <math.h>

#include "common/base/json.h"
#include "common/driver/session.h"
#include "common/run/parameters.h"

const char *size_name(const struct program *program)
{
    return program->size.counts ? program->size.counts : program->size.option;
}

static json_t *size_json(const struct program *program, const struct point *point)
{
    if (!program->size.option)
        return json_null();
    return json_pack("{s:s, s:I}", "name", size_name(program), "value", (json_int_t)point->size);
}

void result_set_figure(struct result *result, const char *name, double value, const char *reason)
{
    json_object_set_new(result->figures, name, real_or_null(value));
    if (!isfinite(value) && reason)
        json_object_set_new(result->unknown, name, json_string(reason));
}

/* The values of the parameters that the variant has, by name. */
static json_t *parameters_of(const struct program *program, const struct point *point)
{
    json_t *object = json_object();
    for (size_t i = 0; i < program->parameter_count; i++)
        if (has_parameter(point->variant, i))
            json_object_set_new(object, program->parameters[i].name,
                                parameter_json(&program->parameters[i], point->parameter[i]));
    return object;
}

/* A repetition that failed has a fault, which is why its headline is not known. */
static void add_quantities(json_t *record, const struct program *program,
                           const struct result *result)
{
    json_t *quantities = json_object(), *unknown = json_object();
    for (size_t q = 0; q < program->quantity_count; q++) {
        const struct quantity *quantity = &program->quantities[q];
        json_object_set_new(quantities, quantity->name, quantity_json(quantity, result->value[q]));
        if (result->reason[q] && (q > 0 || result->passed))
            json_object_set_new(unknown, quantity->name, json_string(result->reason[q]));
    }
    json_object_update(unknown, result->unknown);
    json_object_set_new(record, "quantities", quantities);
    json_object_set_new(record, "unknown", unknown);
}

json_t *program_record(const struct subject *subject, const struct result *r)
{
    const struct run_context *context = subject->context;
    const struct program *program = subject->program;
    const struct record_point point = {.benchmark = program->name,
                                       .variant = subject->point->variant->name,
                                       .size = size_json(program, subject->point),
                                       .parameters = parameters_of(program, subject->point),
                                       .threads = point_threads(subject->point),
                                       .repetition = r->repetition,
                                       .seed = context->seed,
                                       .period = r->period,
                                       .passed = r->passed,
                                       .fault = r->passed ? NULL : r->fault,
                                       .bindings = context->bindings};
    json_t *record = record_begin(context->process, &point);
    record_add_no_matrix(record);
    json_object_set_new(record, "check", json_string("own"));
    add_quantities(record, program, r);
    json_object_update(json_object_get(record, "figures"), r->figures);
    json_object_set_new(json_object_get(record, "figures"), "clock_ns",
                        json_real(context->clock_ns));
    json_object_update(json_object_get(record, "details"), r->details);
    if (r->levels)
        json_object_set(record, "levels", r->levels);
    if (r->mpi)
        json_object_set(record, "mpi", r->mpi);
    return record;
}
