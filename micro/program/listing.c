/* SPDX-License-Identifier: BSD-3-Clause
 * Both answers are made from the program's tables. */
#include <stdio.h>
#include <string.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/driver/listing.h"
#include "common/execution/team.h"
#include "common/identity/capabilities.h"
#include "common/run/parameters.h"
#include "micro/program/session.h"

static json_t *variant_parameters(const struct micro_program *program,
                                  const struct micro_variant *variant)
{
    json_t *list = json_array();
    for (size_t i = 0; i < program->parameter_count; i++)
        if (micro_has_parameter(variant, i))
            json_array_append_new(list, json_string(program->parameters[i].name));
    return list;
}

static json_t *variants_json(const struct micro_program *program)
{
    struct runtime_identity runtime = runtime_identify();
    char reason[CAPABILITY_TEXT_SIZE];
    json_t *list = json_array();
    for (size_t i = 0; program->variant(i).name; i++) {
        const struct micro_variant v = program->variant(i);
        const struct variant_description description = {
            .name = v.name,
            .summary = v.summary,
            .needs = v.needs,
            .available = micro_can_run(&v, 0, &runtime, reason),
            .reason = reason,
            .input = "own",
            .sequential = v.sequential,
            .nested = program->nested,
            .tasks_per_update = 1,
            .parameters = variant_parameters(program, &v)};
        json_array_append_new(list, variant_description(&description));
    }
    return list;
}

/* One combination of the sizes, parameters and threads that the options give. */
struct instance {
    size_t size, parameter[MICRO_PARAMETERS_MAX], threads;
};

static size_t digit(size_t *number, size_t base)
{
    size_t value = *number % base;
    *number /= base;
    return value;
}

/* Sizes vary slowest, then parameters and threads. */
static struct instance instance_of(const struct micro_program *program,
                                   const struct micro_options *options,
                                   const struct number_list *threads, size_t number)
{
    struct instance instance = {.threads = threads->value[digit(&number, threads->count)]};
    for (size_t i = program->parameter_count; i-- > 0;) {
        const struct number_list *list = &options->parameters[i];
        instance.parameter[i] = list->value[digit(&number, list->count)];
    }
    instance.size = options->sizes.value[number];
    return instance;
}

static json_t *instance_parameters(const struct micro_program *program,
                                   const struct instance *instance)
{
    json_t *object = json_object();
    for (size_t i = 0; i < program->parameter_count; i++)
        json_object_set_new(object, program->parameters[i].name,
                            parameter_json(&program->parameters[i], instance->parameter[i]));
    return object;
}

/* A variant has as many tasks as the size says, or as it makes of that; its bytes are those of the largest. */
static json_t *instance_json(const struct micro_program *program, const struct instance *instance)
{
    size_t bytes = 0;
    json_t *tasks = json_object();
    for (size_t i = 0; program->variant(i).name; i++) {
        const struct micro_variant v = program->variant(i);
        struct micro_point point = {
            .variant = &v, .index = i, .size = instance->size, .threads = instance->threads};
        memcpy(point.parameter, instance->parameter, sizeof point.parameter);
        if (program->fit && !v.missing)
            point.size = program->fit(&point);
        if (!v.missing)
            bytes = larger(bytes, micro_point_bytes(program, &point));
        json_object_set_new(tasks, v.name, json_real((double)point.size));
    }
    return instance_without_matrix(instance_parameters(program, instance), instance->threads, bytes,
                                   tasks);
}

static json_t *instances_json(const struct micro_program *program,
                              const struct micro_options *options)
{
    struct number_list threads = options->shared.threads;
    json_t *list = json_array();
    if (threads.count == 0)
        threads = (struct number_list){1, {team_default_threads()}};
    size_t count = saturating_multiply(options->sizes.count, threads.count);
    for (size_t i = 0; i < program->parameter_count; i++)
        count = saturating_multiply(count, options->parameters[i].count);
    for (size_t i = 0; i < count; i++) {
        struct instance instance = instance_of(program, options, &threads, i);
        json_array_append_new(list, instance_json(program, &instance));
    }
    return list;
}

static json_t *size_json(const struct micro_size *size)
{
    if (!size->option)
        return json_null();
    return size_description(size->option, size->summary, size->standard);
}

static void list_json(const struct micro_program *program, const struct micro_options *options)
{
    json_t *parameters = json_array(), *own = json_array();
    for (size_t i = 0; i < program->parameter_count; i++)
        json_array_append_new(parameters, parameter_description(&program->parameters[i]));
    if (program->size.option)
        json_array_append_new(own, json_string("size"));
    listing_print(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:b, s:b, s:o, s:[], s:[], s:o, s:o, s:o}",
        "schema", "pollux-benchmark/1", "benchmark", program->name, "algorithm", program->name,
        "summary", program->summary, "measures", "overhead", "default_variant",
        program->variant(0).name, "options", own, "size", size_json(&program->size), "symmetric", 0,
        "tall_tiles", 0, "concurrent_write", 0, "variants", variants_json(program), "kernels",
        "kernel_sets", "parameters", parameters, "quantities",
        quantities_description(program->quantities, program->quantity_count), "instances",
        instances_json(program, options)));
}

static int name_width(const struct micro_program *program)
{
    size_t width = strlen(program->variant_option);
    for (size_t i = 0; program->variant(i).name; i++) {
        size_t length = strlen(program->variant(i).name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void list_table(const struct micro_program *program)
{
    struct runtime_identity runtime = runtime_identify();
    char reason[CAPABILITY_TEXT_SIZE];
    int width = name_width(program);
    printf("%-*s  %s\n", width, program->variant_option, "summary");
    for (size_t i = 0; program->variant(i).name; i++) {
        const struct micro_variant v = program->variant(i);
        bool available = micro_can_run(&v, 0, &runtime, reason);
        printf("%-*s  %s", width, v.name, v.summary);
        printf("%s%s%s\n", available ? "" : " (not run: ", reason, available ? "" : ")");
    }
}

void micro_list(const struct micro_program *program, const struct micro_options *options)
{
    if (options->shared.format == FORMAT_JSON)
        list_json(program, options);
    else
        list_table(program);
    message_flush_output();
}
