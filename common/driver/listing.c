/* SPDX-License-Identifier: BSD-3-Clause
 * All answers are made from the program's tables. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/base/compiler.h"
#include "common/base/json.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/base/tree.h"
#include "common/driver/session.h"
#include "common/identity/capabilities.h"
#include "common/run/parameters.h"

enum { INSTANCES_MOST = 100000 };

static json_t *variant_parameters(const struct program *program,
                                  const struct program_variant *variant)
{
    json_t *list = json_array();
    for (size_t i = 0; i < program->parameter_count; i++)
        if (has_parameter(variant, i))
            json_array_append_new(list, json_string(program->parameters[i].name));
    return list;
}

static json_t *needs_json(unsigned needs)
{
    char words[CAPABILITY_TEXT_SIZE];
    if (needs == 0)
        return json_null();
    return json_string(capabilities_text(needs, words, sizeof words));
}

static json_t *variant_json(const struct program *program, size_t index,
                            const struct runtime_identity *runtime)
{
    const struct program_variant v = program->variant(index);
    char reason[REASON_SIZE];
    bool available = variant_can_run(program, index, runtime, reason);
    return json_pack("{s:s, s:s, s:o, s:b, s:o, s:s?, s:s, s:b, s:b, s:b, s:I, s:o}", "variant",
                     v.name, "summary", v.summary, "needs", needs_json(v.needs), "available",
                     (int)available, "reason", json_text(reason), "digest_group", v.digest_group,
                     "input", v.input ? v.input : "own", "sequential", (int)v.sequential, "nested",
                     (int)v.nested, "own_team", (int)v.own_team, "tasks_per_update",
                     (json_int_t)v.tasks_per_update, "parameters", variant_parameters(program, &v));
}

static json_t *variants_json(const struct program *program)
{
    struct runtime_identity runtime = runtime_identify();
    json_t *list = json_array();
    for (size_t i = 0; program->variant(i).name; i++)
        json_array_append_new(list, variant_json(program, i, &runtime));
    return list;
}

static json_t *words_json(const struct parameter *p)
{
    json_t *list = json_array();
    for (size_t w = 0; p->words[w]; w++)
        json_array_append_new(list, json_string(p->words[w]));
    return list;
}

static json_t *parameter_description(const struct parameter *p)
{
    json_t *description =
        json_pack("{s:s, s:s, s:o, s:b}", "parameter", p->name, "summary", p->summary, "standard",
                  parameter_json(p, p->standard), "inner_team", (int)p->inner_team);
    if (p->words)
        json_object_set_new(description, "words", words_json(p));
    else
        json_object_set_new(description, "range",
                            json_pack("[I, I]", (json_int_t)p->least, (json_int_t)p->most));
    return description;
}

static json_t *parameters_json_of(const struct program *program)
{
    json_t *list = json_array();
    for (size_t i = 0; i < program->parameter_count; i++)
        json_array_append_new(list, parameter_description(&program->parameters[i]));
    return list;
}

static json_t *instance_parameters(const struct program *program, const struct point *point)
{
    json_t *object = json_object();
    for (size_t i = 0; i < program->parameter_count; i++)
        json_object_set_new(object, program->parameters[i].name,
                            parameter_json(&program->parameters[i], point->parameter[i]));
    return object;
}

/* A variant has as many tasks as the size says, or as it makes of that; its bytes are those of the largest. */
static json_t *instance_json(const struct program *program, const struct point *at)
{
    size_t bytes = 0;
    json_t *tasks = json_object();
    for (size_t i = 0; program->variant(i).name; i++) {
        const struct program_variant v = program->variant(i);
        struct point point = *at;
        point.variant = &v;
        point.index = i;
        if (program->fit && !v.missing)
            point.size = program->fit(&point);
        if (!v.missing)
            bytes = larger(bytes, point_bytes(program, &point));
        json_object_set_new(tasks, v.name, json_real((double)point.size));
    }
    return json_pack("{s:n, s:n, s:n, s:n, s:n, s:n, s:o, s:I, s:n, s:I, s:f, s:o}", "kernels", "m",
                     "n", "mb", "nb", "ib", "parameters", instance_parameters(program, at),
                     "threads", (json_int_t)at->threads, "tile_source", "bytes",
                     (json_int_t)smaller(bytes, INT64_MAX), "flops", 0.0, "tasks", tasks);
}

/* Sizes vary slowest, then the program's own axis, parameters and threads. */
static json_t *instances_json(const struct program *program, const struct program_options *o)
{
    struct number_list threads = requested_threads(&o->shared);
    size_t choices = program->choices ? program->choices() : 1;
    json_t *list = json_array();
    size_t count = saturating_multiply(o->sizes.count, saturating_multiply(threads.count, choices));
    for (size_t i = 0; i < program->parameter_count; i++)
        count = saturating_multiply(count, o->parameters[i].count);
    if (count > INSTANCES_MOST)
        message_fatal(POLLUX_USAGE, "--list: more than %d combinations: shorten the lists",
                      INSTANCES_MOST);
    for (size_t i = 0; i < count; i++) {
        size_t number = i;
        struct point point = {.threads = threads.value[next_digit(&number, threads.count)]};
        for (size_t p = program->parameter_count; p-- > 0;)
            point.parameter[p] =
                o->parameters[p].value[next_digit(&number, o->parameters[p].count)];
        point.choice = next_digit(&number, choices);
        point.size = o->sizes.value[number];
        json_array_append_new(list, program->instance ? program->instance(&point)
                                                      : instance_json(program, &point));
    }
    return list;
}

static json_t *size_json(const struct program *program)
{
    if (!program->size.option)
        return json_null();
    return json_pack("{s:s, s:s, s:I}", "name", size_name(program), "summary",
                     program->size.summary, "standard", (json_int_t)program->size.standard);
}

static void list_json(const struct program *program, const struct program_options *options)
{
    json_t *own = json_array();
    if (program->size.option)
        json_array_append_new(own, json_string("size"));
    json_t *description = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:b, s:b, s:o, s:[], s:[], s:o, s:o, s:o}",
        "schema", "pollux-benchmark/1", "benchmark", program->name, "algorithm",
        program->algorithm ? program->algorithm : program->name, "summary", program->summary,
        "measures", program->computes ? "computation" : "overhead", "default_variant",
        program->default_variant ? program->default_variant : program->variant(0).name, "options",
        own, "size", size_json(program), "symmetric", 0, "tall_tiles", 0, "concurrent_write", 0,
        "variants", variants_json(program), "kernels", "kernel_sets", "parameters",
        parameters_json_of(program), "quantities",
        quantities_description(program->quantities, program->quantity_count), "instances",
        instances_json(program, options));
    if (program->describe)
        program->describe(description);
    json_dumpf(description, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(description);
}

static int name_width(const struct program *program)
{
    size_t width = strlen(program->variant_option);
    for (size_t i = 0; program->variant(i).name; i++) {
        size_t length = strlen(program->variant(i).name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void list_table(const struct program *program)
{
    struct runtime_identity runtime = runtime_identify();
    if (program->list) {
        program->list(&runtime);
        return;
    }
    char reason[REASON_SIZE];
    int width = name_width(program);
    printf("%-*s  %s\n", width, program->variant_option, "summary");
    for (size_t i = 0; program->variant(i).name; i++) {
        const struct program_variant v = program->variant(i);
        bool available = variant_can_run(program, i, &runtime, reason);
        printf("%-*s  %s", width, v.name, v.summary);
        printf("%s%s%s\n", available ? "" : " (not run: ", reason, available ? "" : ")");
    }
}

void program_list(const struct program *program, const struct program_options *options)
{
    if (options->shared.format == FORMAT_JSON)
        list_json(program, options);
    else
        list_table(program);
    message_flush_output();
}

static void print_priorities(const struct setup *setup)
{
    static const char *const words[] = {[PRIORITIES_OFF] = "off",
                                        [PRIORITIES_WITHOUT_EFFECT] = "without effect",
                                        [PRIORITIES_IN_FORCE] = "in force",
                                        [PRIORITIES_UNKNOWN] = "not known to have an effect"};
    const char *evidence;
    enum priorities priorities = setup_priorities(setup, &evidence);
    bool explained = priorities == PRIORITIES_WITHOUT_EFFECT;
    printf("priority  %s%s%s\n", words[priorities], explained ? ": " : "",
           explained ? evidence : "");
}

static void print_blas(const struct blas_identity *blas)
{
    printf("blas      %s %s, %s%s%s build with one thread per call, %s\n", blas->library,
           blas->version, blas->core, blas->core[0] ? " kernels, " : "", blas->threading,
           blas->path);
    printf("lapack    %s\n", blas->lapack_path);
}

/* The end of a line: the commit that the build is of, where it is known. */
static void print_commit(void)
{
    char path[PATH_MAX], commit[13] = "";
    FILE *file = tree_file("commit.txt", path) ? fopen(path, "r") : NULL;
    if (file && fgets(commit, sizeof commit, file))
        printf(" (commit %s)", commit);
    if (file)
        fclose(file);
    putchar('\n');
}

void program_version(const struct program *program, const struct setup *setup)
{
    const struct runtime_identity *runtime = &setup->runtime;
    const struct blas_identity *blas = &setup->blas;
    printf("pollux %s %s", program->name, POLLUX_VERSION);
    print_commit();
    printf("compiler  %s %s, %s\n", POLLUX_COMPILER, POLLUX_COMPILER_VERSION, POLLUX_BUILD_TYPE);
    printf("runtime   %s %s, %s entry points, %s\n", runtime->name,
           runtime->version[0] ? runtime->version : "(version unknown)", runtime->abi,
           runtime->path);
    printf("tools     %s\n", runtime->ompt ? "OMPT" : "no OMPT");
    if (blas->path[0])
        print_blas(blas);
    print_priorities(setup);
    if (program->version)
        program->version(setup);
    message_flush_output();
}
