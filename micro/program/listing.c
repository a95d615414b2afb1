/* SPDX-License-Identifier: BSD-3-Clause
 * Both answers are made from the program's tables. */
#include <stdio.h>
#include <string.h>

#include "common/base/message.h"
#include "common/driver/listing.h"
#include "common/identity/capabilities.h"
#include "common/run/parameters.h"
#include "micro/program/session.h"

static json_t *variant_parameters(const struct micro_program *program,
                                  const struct micro_variant *variant)
{
    json_t *list = json_array();
    for (size_t i = 0; i < program->parameter_count; i++)
        if (micro_has_parameter(variant, i))
            json_array_append_new(list, json_string(program->parameters[i].option.name));
    return list;
}

static json_t *variants_json(const struct micro_program *program)
{
    struct runtime_identity runtime = runtime_identify();
    char reason[CAPABILITY_TEXT_SIZE], needs[CAPABILITY_TEXT_SIZE];
    json_t *list = json_array();
    for (size_t i = 0; program->variant(i).name; i++) {
        const struct micro_variant v = program->variant(i);
        bool available = micro_can_run(&v, 0, &runtime, reason);
        json_t *words =
            v.needs ? json_string(capabilities_text(v.needs, needs, sizeof needs)) : json_null();
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:b, s:s, s:b, s:o}", "variant",
                                              v.name, "summary", v.summary, "needs", words,
                                              "available", (int)available, "reason", reason,
                                              "sequential", (int)v.sequential, "parameters",
                                              variant_parameters(program, &v)));
    }
    return list;
}

static json_t *parameters_described(const struct micro_program *program)
{
    char field[FIELD_SIZE];
    json_t *list = json_array();
    for (size_t i = 0; i < program->parameter_count; i++) {
        json_t *description = parameter_description(&program->parameters[i].option);
        json_object_set_new(description, "field",
                            json_string(micro_field(&program->parameters[i], field)));
        json_array_append_new(list, description);
    }
    return list;
}

static json_t *quantities_json(const struct micro_program *program)
{
    json_t *list = json_array();
    for (size_t q = 0; q < program->quantity_count; q++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "quantity", program->quantities[q].name,
                                              "summary", program->quantities[q].summary));
    return list;
}

static void list_json(const struct micro_program *program)
{
    json_t *options =
        json_pack("{s:s, s:s?}", "variant", program->variant_option, "size", program->size.option);
    json_t *description =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "pollux-micro-benchmark/1",
                  "benchmark", program->name, "summary", program->summary, "options", options,
                  "variants", variants_json(program), "parameters", parameters_described(program),
                  "quantities", quantities_json(program));
    json_dumpf(description, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(description);
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

void micro_list(const struct micro_program *program, enum format format)
{
    if (format == FORMAT_JSON)
        list_json(program);
    else
        list_table(program);
    message_flush_output();
}
