/* SPDX-License-Identifier: BSD-3-Clause
 * What a computation adds to the answers of the driver; all of it comes from its table. */
#include <stdio.h>

#include "common/base/json.h"
#include "common/computation/session.h"
#include "common/identity/capabilities.h"
#include "common/run/parameters.h"
#include "common/run/quantity.h"

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

static json_t *tasks_json(const struct configuration *c)
{
    const struct benchmark *benchmark = c->benchmark;
    if (!benchmark->tasks)
        return json_null();
    json_t *tasks = json_object();
    for (size_t i = 0; i < benchmark->variant_count; i++) {
        const struct variant *v = &benchmark->variants[i];
        json_object_set_new(tasks, v->name, real_or_null(configuration_tasks(c, v)));
    }
    return tasks;
}

json_t *listing_instance(const struct configuration *c, enum check check)
{
    size_t bytes = configuration_bytes(c, check);
    json_t *instance = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:s, s:I, s:o, s:o}", "kernels",
        kernel_set_names[c->kernels], "m", (json_int_t)c->m, "n", (json_int_t)c->n, "mb",
        (json_int_t)c->mb, "nb", (json_int_t)c->nb, "ib",
        c->ib > 0 ? json_integer((json_int_t)c->ib) : json_null(), "parameters", parameters_json(c),
        "threads", (json_int_t)c->threads, "tile_source", tile_source_names[c->tile_source],
        "bytes", bytes < INT64_MAX ? (json_int_t)bytes : INT64_MAX, "flops",
        real_or_null(configuration_flops(c)), "tasks", tasks_json(c));
    return instance;
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
    for (size_t i = 0; b->processes && b->processes->axes[i]; i++)
        json_array_append_new(list, json_string(b->processes->axes[i]));
    return list;
}

void listing_describe(const struct benchmark *b, json_t *description)
{
    json_object_set_new(description, "options", options_json(b));
    json_object_set_new(description, "symmetric", json_boolean(b->symmetric));
    json_object_set_new(description, "tall_tiles", json_boolean(b->tall_tiles));
    json_object_set_new(description, "concurrent_write", json_boolean(writes_concurrently(b)));
    json_object_set_new(description, "kernels", kernels_json(b));
    json_object_set_new(description, "kernel_sets", kernel_sets_json(b));
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

void listing_table(const struct benchmark *benchmark, struct availability *availability)
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

/* A line for each way of writing concurrently, with the name of the first variant that has it. */
void listing_writes(const struct benchmark *benchmark, struct availability *availability)
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
