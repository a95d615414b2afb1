/* SPDX-License-Identifier: BSD-3-Clause
 * jansson refuses NaN and infinity; such a residual becomes null and counts as failed. */
#include "common/output/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "common/base/compiler.h"
#include "common/base/json.h"
#include "common/machine/host.h"
#include "common/run/parameters.h"
#include "common/run/quantity.h"

static json_t *compiler_json(void)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "name", POLLUX_COMPILER, "version",
                     POLLUX_COMPILER_VERSION, "build_type", POLLUX_BUILD_TYPE, "flags",
                     POLLUX_COMPILE_FLAGS);
}

static const char *placement(const struct setup *setup, const struct record_choices *choices)
{
    if (!topology_spans_nodes(setup->topology))
        return "one-node";
    return choices->first_touch ? "first-touch" : "interleave";
}

struct record_context record_context_create(const struct setup *setup,
                                            const struct record_choices *choices,
                                            const struct energy_meter *meter)
{
    const char *evidence;
    struct record_context context = {
        .runtime = runtime_json(&setup->runtime),
        .compiler = compiler_json(),
        .blas = setup->blas.path[0] ? blas_json(&setup->blas) : json_null(),
        .host = host_describe(setup->topology),
        .meter = meter,
        .placement = placement(setup, choices),
        .matrix = choices->matrix_path ? choices->matrix_path : "random",
        .check = check_name(choices->check),
        .traced = choices->ompt,
        .priorities = setup_priorities(setup, &evidence)};
    json_object_set(context.runtime, "env", setup->environment_found);
    json_object_set(context.runtime, "env_set", setup->environment_set);
    json_object_set_new(context.host, "allowed", json_integer((json_int_t)setup->allowed));
    return context;
}

void record_context_destroy(struct record_context *context)
{
    json_decref(context->runtime);
    json_decref(context->compiler);
    json_decref(context->blas);
    json_decref(context->host);
}

static json_t *residuals_json(const struct verification *verification)
{
    json_t *residuals = json_array();
    for (size_t i = 0; i < verification->count; i++) {
        const struct residual *r = &verification->residuals[i];
        json_array_append_new(residuals, json_pack("{s:s, s:o, s:f, s:b}", "name", r->name, "value",
                                                   real_or_null(r->value), "threshold",
                                                   r->threshold, "passed", (int)r->passed));
    }
    return residuals;
}

/* Counts are whole numbers, as far as doubles have all of them. */
static json_t *number_or_null(double value)
{
    bool whole = value == trunc(value) && fabs(value) < 0x1p53;
    return whole ? json_integer((json_int_t)value) : real_or_null(value);
}

static json_t *figures_json(const struct outcome *outcome)
{
    json_t *figures = json_object();
    for (size_t i = 0; i < outcome->figure_count; i++)
        json_object_set_new(figures, outcome->figures[i].name,
                            number_or_null(outcome->figures[i].value));
    return figures;
}

static json_t *digest_json(const struct outcome *outcome)
{
    char text[24];
    if (outcome->failure != 0)
        return json_null();
    snprintf(text, sizeof text, "%016" PRIx64, outcome->digest);
    return json_string(text);
}

static json_t *size_json(size_t value)
{
    return json_integer((json_int_t)value);
}

static void add_matrix(json_t *record, const struct configuration *c)
{
    json_object_set_new(record, "digest_group", json_string(c->variant->digest_group));
    json_object_set_new(record, "m", size_json(c->m));
    json_object_set_new(record, "n", size_json(c->n));
    json_object_set_new(record, "mb", size_json(c->mb));
    json_object_set_new(record, "nb", size_json(c->nb));
    json_object_set_new(record, "tile_source", json_string(tile_source_names[c->tile_source]));
    json_object_set_new(record, "ib", c->ib > 0 ? size_json(c->ib) : json_null());
    json_object_set_new(record, "kernels", json_string(kernel_set_names[c->kernels]));
    const char *isa = c->benchmark->kernels_isa ? c->benchmark->kernels_isa(c->kernels)
                                                : kernel_set_isa(c->kernels);
    json_object_set_new(record, "kernels_isa", isa ? json_string(isa) : json_null());
}

void record_add_no_matrix(json_t *record)
{
    static const char *const fields[] = {"digest_group",
                                         "m",
                                         "n",
                                         "mb",
                                         "nb",
                                         "tile_source",
                                         "ib",
                                         "kernels",
                                         "kernels_isa",
                                         "matrix",
                                         "placement",
                                         "seconds",
                                         "gflops",
                                         "flops",
                                         "tasks",
                                         "digest",
                                         "energy",
                                         "levels",
                                         "concurrent_write"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set_new(record, fields[i], json_null());
    json_object_set_new(record, "status", json_integer(0));
    json_object_set_new(record, "residuals", json_array());
    json_object_set_new(record, "figures", json_object());
}

static json_t *levels_json(const struct levels *levels)
{
    if (levels->inner_requested == 0)
        return json_null();
    return json_pack("{s:[I, I], s:[I, o]}", "requested", (json_int_t)levels->outer,
                     (json_int_t)levels->inner_requested, "given", (json_int_t)levels->outer,
                     levels->inner_given > 0 ? json_integer((json_int_t)levels->inner_given)
                                             : json_null());
}

static void add_outcome(json_t *record, const struct outcome *outcome)
{
    double gflops = outcome->failure == 0 ? outcome->gflops : NAN;
    json_object_set_new(record, "seconds", json_real(outcome->seconds));
    json_object_set_new(record, "gflops", real_or_null(gflops));
    json_object_set_new(record, "flops", json_real(outcome->flops));
    json_object_set_new(record, "tasks", json_integer((json_int_t)outcome->tasks));
    json_object_set_new(record, "status", json_integer(outcome->failure));
    json_object_set_new(record, "residuals", residuals_json(&outcome->verification));
    json_object_set_new(record, "figures", figures_json(outcome));
    json_object_set_new(record, "levels", levels_json(&outcome->levels));
    json_object_set_new(record, "digest", digest_json(outcome));
    json_object_set_new(
        record, "quantities",
        json_pack("{s:o}", quantity_gflops.name, quantity_json(&quantity_gflops, gflops)));
}

static json_t *in_force_json(enum priorities priorities)
{
    return priorities == PRIORITIES_UNKNOWN ? json_null()
                                            : json_boolean(priorities == PRIORITIES_IN_FORCE);
}

json_t *concurrent_write_json(const struct concurrent_write *write, const char *observed)
{
    if (!write)
        return json_null();
    return json_pack("{s:s, s:b, s:s}", "clause", write->clause, "native", (int)write->native,
                     "observed", observed);
}

json_t *record_begin(const struct record_context *context, const struct record_point *point)
{
    json_t *record = json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema", "pollux-run/1", "benchmark",
                               point->benchmark, "variant", point->variant, "size", point->size,
                               "parameters", point->parameters);
    json_object_set_new(record, "threads", size_json(point->threads));
    json_object_set_new(record, "repetition", size_json(point->repetition));
    json_object_set_new(record, "seed", json_integer((json_int_t)point->seed));
    json_object_set_new(record, "passed", json_boolean(point->passed));
    json_object_set_new(record, "fault", point->fault ? json_text(point->fault) : json_null());
    json_object_set_new(record, "unknown", json_object());
    json_object_set_new(record, "details", json_object());
    json_object_set_new(record, "start_unix_ns", json_integer(point->period.start_unix_ns));
    json_object_set_new(record, "end_unix_ns", json_integer(point->period.end_unix_ns));
    json_object_set_new(record, "preemptions", json_integer(point->period.preemptions));
    json_object_set_new(record, "traced", json_boolean(context->traced));
    json_object_set_new(record, "priorities", json_boolean(context->priorities != PRIORITIES_OFF));
    json_object_set_new(record, "priorities_in_force", in_force_json(context->priorities));
    json_object_set(record, "bindings", point->bindings);
    json_object_set(record, "runtime", context->runtime);
    json_object_set(record, "compiler", context->compiler);
    json_object_set(record, "blas", context->blas);
    json_object_set(record, "host", context->host);
    return record;
}

json_t *record_create(const struct record_context *context, const struct configuration *c,
                      const struct outcome *outcome, size_t repetition, bool traced,
                      json_t *bindings, const char *observed)
{
    const struct record_point point = {
        .benchmark = c->benchmark->name,
        .variant = c->variant->name,
        .size = json_pack("{s:s, s:I}", "name", "n", "value", (json_int_t)c->n),
        .parameters = parameters_json(c),
        .threads = c->threads,
        .repetition = repetition,
        .seed = outcome->seed,
        .period = outcome->period,
        .passed = outcome->passed,
        .bindings = bindings};
    json_t *record = record_begin(context, &point);
    add_matrix(record, c);
    add_outcome(record, outcome);
    json_object_set_new(record, "traced", json_boolean(traced || context->traced));
    json_object_set_new(record, "check", json_string(context->check));
    json_object_set_new(record, "matrix", json_text(context->matrix));
    json_object_set_new(record, "placement", json_string(context->placement));
    json_object_set_new(record, "concurrent_write",
                        concurrent_write_json(c->variant->concurrent_write, observed));
    json_object_set_new(record, "energy", energy_json(context->meter));
    return record;
}
