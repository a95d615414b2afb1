/* SPDX-License-Identifier: BSD-3-Clause
 * Both are made from the benchmark's table and the process's identity. */
#include "common/driver/listing.h"

#include <stdio.h>

#include "common/base/compiler.h"
#include "common/base/message.h"
#include "common/driver/benchmark_options.h"
#include "common/driver/plan.h"
#include "common/identity/capabilities.h"
#include "common/run/parameters.h"
#include "common/run/quantity.h"

static json_t *needs_json(unsigned needs)
{
    char words[CAPABILITY_TEXT_SIZE];
    if (needs == 0)
        return json_null();
    return json_string(capabilities_text(needs, words, sizeof words));
}

json_t *variant_description(const struct variant_description *v)
{
    return json_pack("{s:s, s:s, s:o, s:b, s:s, s:s?, s:s, s:b, s:b, s:b, s:I, s:o}", "variant",
                     v->name, "summary", v->summary, "needs", needs_json(v->needs), "available",
                     (int)v->available, "reason", v->reason, "digest_group", v->digest_group,
                     "input", v->input, "sequential", (int)v->sequential, "nested", (int)v->nested,
                     "own_team", (int)v->own_team, "tasks_per_update",
                     (json_int_t)v->tasks_per_update, "parameters", v->parameters);
}

static json_t *variant_parameters(const struct benchmark *benchmark, const struct variant *variant)
{
    json_t *list = json_array();
    for (size_t i = 0; i < benchmark->parameter_count; i++)
        if (parameter_concerns(&benchmark->parameters[i], variant))
            json_array_append_new(list, json_string(benchmark->parameters[i].name));
    return list;
}

static json_t *variant_json(const struct benchmark *benchmark, const struct variant *v,
                            struct availability *availability)
{
    static const char *const inputs[] = {[INPUT_UNIFORM] = "uniform",
                                         [INPUT_SPD] = "spd",
                                         [INPUT_DOMINANT] = "dominant",
                                         [INPUT_OWN] = "own"};
    char reason[REASON_SIZE];
    const struct variant_description description = {.name = v->name,
                                                    .summary = v->summary,
                                                    .needs = v->needs,
                                                    .available =
                                                        variant_available(availability, v, reason),
                                                    .reason = reason,
                                                    .digest_group = v->digest_group,
                                                    .input = inputs[v->input],
                                                    .sequential = v->sequential,
                                                    .nested = v->nested,
                                                    .own_team = v->own_team,
                                                    .tasks_per_update = v->tasks_per_update,
                                                    .parameters = variant_parameters(benchmark, v)};
    return variant_description(&description);
}

static json_t *variants_json(const struct benchmark *benchmark, struct availability *availability)
{
    json_t *list = json_array();
    for (size_t i = 0; i < benchmark->variant_count; i++)
        json_array_append_new(list, variant_json(benchmark, &benchmark->variants[i], availability));
    return list;
}

static json_t *kernels_json(const struct benchmark *benchmark)
{
    json_t *list = json_array();
    for (size_t i = 0; i < benchmark->kernel_count; i++)
        json_array_append_new(list, kernel_json(benchmark->kernels[i]));
    return list;
}

static json_t *kernel_sets_json(const struct benchmark *benchmark)
{
    json_t *list = json_array();
    for (enum kernel_set set = 0; set < KERNEL_SETS; set++) {
        if (!(benchmark->kernel_sets & (1u << set)))
            continue;
        const char *missing = kernels_missing(benchmark, set);
        json_array_append_new(list, json_pack("{s:s, s:b, s:s}", "kernels", kernel_set_names[set],
                                              "available", missing == NULL, "reason",
                                              missing ? missing : ""));
    }
    return list;
}

static json_t *words_json(const struct parameter *p)
{
    json_t *list = json_array();
    for (size_t w = 0; p->words[w]; w++)
        json_array_append_new(list, json_string(p->words[w]));
    return list;
}

json_t *parameter_description(const struct parameter *p)
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

static json_t *parameter_descriptions(const struct benchmark *benchmark)
{
    json_t *list = json_array();
    for (size_t i = 0; i < benchmark->parameter_count; i++)
        json_array_append_new(list, parameter_description(&benchmark->parameters[i]));
    return list;
}

static json_t *tasks_json(const struct configuration *c)
{
    const struct benchmark *benchmark = c->benchmark;
    if (!benchmark->tasks)
        return json_null();
    json_t *tasks = json_object();
    for (size_t i = 0; i < benchmark->variant_count; i++) {
        const struct variant *v = &benchmark->variants[i];
        json_object_set_new(tasks, v->name, json_real(configuration_tasks(c, v)));
    }
    return tasks;
}

static json_int_t bytes_json(size_t bytes)
{
    return bytes < INT64_MAX ? (json_int_t)bytes : INT64_MAX;
}

json_t *instance_without_matrix(json_t *parameters, size_t threads, size_t bytes, json_t *tasks)
{
    return json_pack("{s:n, s:n, s:n, s:n, s:n, s:n, s:o, s:I, s:n, s:I, s:f, s:o}", "kernels", "m",
                     "n", "mb", "nb", "ib", "parameters", parameters, "threads",
                     (json_int_t)threads, "tile_source", "bytes", bytes_json(bytes), "flops", 0.0,
                     "tasks", tasks);
}

json_t *size_description(const char *name, const char *summary, size_t standard)
{
    return json_pack("{s:s, s:s, s:I}", "name", name, "summary", summary, "standard",
                     (json_int_t)standard);
}

static json_t *instance_json(const struct configuration *c, const struct options *options)
{
    size_t bytes = configuration_bytes(c, options->check);
    json_t *instance =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:s, s:I, s:f, s:o}", "kernels",
                  kernel_set_names[c->kernels], "m", (json_int_t)c->m, "n", (json_int_t)c->n, "mb",
                  (json_int_t)c->mb, "nb", (json_int_t)c->nb, "ib",
                  c->ib > 0 ? json_integer((json_int_t)c->ib) : json_null(), "parameters",
                  parameters_json(c->benchmark, c->variant, c->parameters), "threads",
                  (json_int_t)c->threads, "tile_source", tile_source_names[c->tile_source], "bytes",
                  bytes_json(bytes), "flops", configuration_flops(c), "tasks", tasks_json(c));
    return instance;
}

static json_t *instances_json(const struct benchmark *benchmark, const struct options *options)
{
    struct topology *topology = topology_create();
    if (!topology)
        message_fatal(POLLUX_MACHINE, "hwloc cannot read this machine's topology");
    const struct planning planning = {
        .benchmark = benchmark, .options = options, .topology = topology};
    struct plan plan = plan_create(&planning, NULL, 0);
    json_t *list = json_array();
    for (size_t i = 0; i < plan.count; i++)
        json_array_append_new(list, instance_json(&plan.items[i], options));
    plan_destroy(&plan);
    topology_destroy(topology);
    return list;
}

static bool writes_concurrently(const struct benchmark *benchmark)
{
    for (size_t v = 0; v < benchmark->variant_count; v++)
        if (benchmark->variants[v].concurrent_write)
            return true;
    return false;
}

/* The options that not every benchmark has. */
static json_t *options_json(const struct benchmark *b)
{
    json_t *list =
        json_pack("[s, s, s, s, s, s]", "size", "tile", "kernels", "numa", "check", "no-priority");
    if (b->rectangular)
        json_array_append_new(list, json_string("rows"));
    if (b->inner_block)
        json_array_append_new(list, json_string("inner"));
    return list;
}

void listing_print(json_t *description)
{
    json_dumpf(description, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(description);
}

static void print_json(const struct benchmark *b, const struct options *options,
                       struct availability *availability)
{
    listing_print(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
        "schema", "pollux-benchmark/1", "benchmark", b->name, "algorithm", b->algorithm, "summary",
        b->summary, "measures", "computation", "default_variant", b->default_variant, "options",
        options_json(b), "size", size_description("n", "order of the matrix", standard_size(b)),
        "symmetric", (int)b->symmetric, "tall_tiles", (int)b->tall_tiles, "concurrent_write",
        (int)writes_concurrently(b), "variants", variants_json(b, availability), "kernels",
        kernels_json(b), "kernel_sets", kernel_sets_json(b), "parameters",
        parameter_descriptions(b), "quantities", quantities_description(&quantity_gflops, 1),
        "instances", instances_json(b, options)));
}

static void print_kernel_sets(const struct benchmark *benchmark)
{
    const char *separator = "kernels    ";
    for (enum kernel_set set = 0; set < KERNEL_SETS; set++) {
        if (!(benchmark->kernel_sets & (1u << set)))
            continue;
        const char *missing = kernels_missing(benchmark, set);
        printf("%s%s%s%s%s", separator, kernel_set_names[set], missing ? " (not run: " : "",
               missing ? missing : "", missing ? ")" : "");
        separator = ", ";
    }
    putchar('\n');
}

static void print_parameters(const struct benchmark *benchmark)
{
    char standard[PARAMETER_TEXT_SIZE];
    for (size_t i = 0; i < benchmark->parameter_count; i++) {
        const struct parameter *p = &benchmark->parameters[i];
        printf("--%-8s %s", p->name, p->summary);
        if (!p->words)
            printf(", %zu to %zu", p->least, p->most);
        for (size_t w = 0; p->words && p->words[w]; w++)
            printf("%s%s", w == 0 ? ": " : ", ", p->words[w]);
        printf(" (%s)\n", parameter_text(p, p->standard, standard));
    }
}

static void print_table(const struct benchmark *benchmark, struct availability *availability)
{
    printf("%-9s  %-9s  %s\n", "variant", "digest", "summary");
    for (size_t i = 0; i < benchmark->variant_count; i++) {
        const struct variant *v = &benchmark->variants[i];
        char text[REASON_SIZE];
        printf("%-9s  %-9s  %s", v->name, v->digest_group, v->summary);
        if (!variant_available(availability, v, text))
            printf(" (not run: %s)", text);
        else if (v->needs)
            printf(" (needs: %s)", capabilities_text(v->needs, text, sizeof text));
        putchar('\n');
    }
    print_kernel_sets(benchmark);
    print_parameters(benchmark);
}

void listing_benchmark(const struct benchmark *benchmark, const struct options *options)
{
    struct runtime_identity runtime = runtime_identify();
    struct availability availability = availability_begin(options, &runtime);
    if (options->shared.format == FORMAT_JSON)
        print_json(benchmark, options, &availability);
    else
        print_table(benchmark, &availability);
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
    printf("blas      %s %s, %s kernels, %s build with one thread per call, %s\n", blas->library,
           blas->version, blas->core, blas->threading, blas->path);
    printf("lapack    %s\n", blas->lapack_path);
}

/* A line for each way of writing concurrently, with the name of the first variant that has it. */
static void print_writes(const struct benchmark *benchmark, struct availability *availability)
{
    const struct concurrent_write *last = NULL;
    for (size_t i = 0; i < benchmark->variant_count; i++) {
        const struct variant *v = &benchmark->variants[i];
        const struct concurrent_write *write = v->concurrent_write;
        char reason[REASON_SIZE];
        if (!write || write == last)
            continue;
        last = write;
        bool available = variant_available(availability, v, reason);
        printf(
            "%-9s %s, %s, %s%s\n", v->name, write->clause, write->native ? "native" : "substitute",
            available ? "" : "not run: ", available ? variant_observed(availability, v) : reason);
    }
}

void listing_version(const char *name, const struct setup *setup, const struct benchmark *benchmark,
                     struct availability *availability)
{
    const struct runtime_identity *runtime = &setup->runtime;
    const struct blas_identity *blas = &setup->blas;
    printf("pollux %s %s\n", name, POLLUX_VERSION);
    printf("compiler  %s %s, %s\n", POLLUX_COMPILER, POLLUX_COMPILER_VERSION, POLLUX_BUILD_TYPE);
    printf("runtime   %s %s, %s entry points, %s\n", runtime->name,
           runtime->version[0] ? runtime->version : "(version unknown)", runtime->abi,
           runtime->path);
    printf("tools     %s\n", runtime->ompt ? "OMPT" : "no OMPT");
    if (blas->path[0])
        print_blas(blas);
    print_priorities(setup);
    if (benchmark)
        print_writes(benchmark, availability);
    message_flush_output();
}
