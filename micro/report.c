/* SPDX-License-Identifier: BSD-3-Clause
 * Tables have a row for each configuration, with medians; unknown numbers are "-", and the reasons follow. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/compiler.h"
#include "common/base/message.h"
#include "common/base/statistics.h"
#include "common/identity/capabilities.h"
#include "micro/output.h"

enum { NUMBER_SIZE = 32 };

enum { ITEMS_OF_ALL = 4 }; /* that every runtime takes on a task */

static const char *csv_text(double value, char *text)
{
    text[0] = '\0';
    if (isfinite(value))
        snprintf(text, NUMBER_SIZE, "%.1f", value);
    return text;
}

/* A number in `width` columns, seven at least: without its fraction or as a power of ten if it has to. */
static const char *table_text(double value, int width, char *text)
{
    if (!isfinite(value))
        snprintf(text, NUMBER_SIZE, "%*s", width, "-");
    else if (snprintf(text, NUMBER_SIZE, "%*.1f", width, value) > width &&
             snprintf(text, NUMBER_SIZE, "%*.0f", width, value) > width)
        snprintf(text, NUMBER_SIZE, "%*.1e", width, value);
    return text;
}

void micro_report_begin(enum format format, const struct setup *setup, double clock_ns)
{
    const char *version = setup->runtime.version;
    if (format == FORMAT_CSV)
        printf("benchmark,pattern,tasks,items,distance_bytes,threads,repetition,ns_per_task,"
               "creation,per_item,release,completion,body_ns,clock_ns,bytes_per_task,passed,"
               "runtime,runtime_version\n");
    if (format != FORMAT_TABLE)
        return;
    printf("# task-overhead: ns per task, medians of the repetitions\n");
    printf("# runtime %s %s, %zu processors allowed\n", setup->runtime.name,
           version[0] ? version : "of unknown version", setup->allowed);
    printf("# a reading of the clock takes %.1f ns\n", clock_ns);
    printf("%-13s %7s %3s %7s %4s %7s %8s %7s %8s %7s\n", "pattern", "tasks", "it.", "dist.",
           "thr.", "all", "creation", "an item", "release", "compl.");
}

static void print_csv(const struct micro_context *context, const struct micro_configuration *c,
                      const struct repetition *r, size_t repetition)
{
    char text[NUMBER_SIZE], items[NUMBER_SIZE] = "";
    const json_t *runtime = context->process->runtime;
    if (c->pattern->chosen_items)
        snprintf(items, sizeof items, "%zu", c->items);
    printf("task-overhead,%s,%zu,%s,%zu,%zu,%zu,%s", c->pattern->name, c->tasks, items, c->distance,
           c->threads, repetition, csv_text(r->ungated_ns / (double)c->tasks, text));
    for (enum term t = 0; t < TERMS; t++)
        printf(",%s", csv_text(r->terms.ns[t], text));
    printf(",%.1f,%.1f,%s", r->body_ns, context->clock_ns, csv_text(context->task_bytes, text));
    printf(",%s,%s,%s\n", r->passed ? "true" : "false",
           json_string_value(json_object_get(runtime, "name")),
           json_string_value(json_object_get(runtime, "version")));
}

void micro_report_repetition(enum format format, const struct micro_context *context,
                             const struct micro_configuration *c, const struct repetition *r,
                             size_t repetition, const json_t *record)
{
    if (format == FORMAT_CSV)
        print_csv(context, c, r, repetition);
    if (format == FORMAT_JSON) {
        json_dumpf(record, stdout, JSON_COMPACT);
        putchar('\n');
    }
    message_flush_output();
}

/* The median of the values that are known; NaN where none is. */
static double median_of(double *values, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            values[known++] = values[i];
    sort_ascending(values, known);
    return known > 0 ? median_of_sorted(values, known) : NAN;
}

static void print_median(const struct repetition *repetitions, size_t count, double *values,
                         int term, int width)
{
    char text[NUMBER_SIZE];
    for (size_t i = 0; i < count; i++)
        values[i] = repetitions[i].terms.ns[term];
    printf(" %s", table_text(median_of(values, count), width, text));
}

static void print_row(const struct micro_configuration *c, const struct repetition *repetitions,
                      size_t count, double *values)
{
    static const int widths[TERMS] = {8, 7, 8, 7};
    char text[NUMBER_SIZE], items[NUMBER_SIZE] = "-";
    if (c->pattern->chosen_items)
        snprintf(items, sizeof items, "%zu", c->items);
    for (size_t i = 0; i < count; i++)
        values[i] = repetitions[i].ungated_ns / (double)c->tasks;
    printf("%-13s %7zu %3s %7zu %4zu %s", c->pattern->name, c->tasks, items, c->distance,
           c->threads, table_text(median_of(values, count), 7, text));
    for (int t = 0; t < TERMS; t++)
        print_median(repetitions, count, values, t, widths[t]);
    putchar('\n');
}

/* Why creation is not known. Other terms that are missing follow from it, or from the pattern. */
static void explain(const struct repetition *r)
{
    if (r->terms.reason[TERM_CREATION])
        printf("    creation unknown: %s\n", r->terms.reason[TERM_CREATION]);
}

size_t micro_report_configuration(enum format format, const struct micro_configuration *c,
                                  const struct repetition *repetitions, size_t count)
{
    size_t passed = 0;
    double *values = calloc(count, sizeof *values);
    if (!values)
        message_fatal(POLLUX_MACHINE, "no memory");
    if (format == FORMAT_TABLE) {
        print_row(c, repetitions, count, values);
        explain(&repetitions[count - 1]);
    }
    free(values);
    for (size_t i = 0; i < count; i++) {
        passed += repetitions[i].passed;
        if (!repetitions[i].passed)
            message_error("%s, %zu tasks, %zu threads, repetition %zu: %s", c->pattern->name,
                          c->tasks, c->threads, i, repetitions[i].fault);
    }
    message_flush_output();
    return passed;
}

void micro_report_end(enum format format, const struct setup *setup, size_t configurations,
                      size_t passed, size_t repetitions)
{
    fprintf(format == FORMAT_TABLE ? stdout : stderr,
            "%s task-overhead runtime=%s configurations=%zu passed=%zu/%zu\n",
            passed == repetitions ? "PASS" : "FAIL", setup->runtime.name, configurations, passed,
            repetitions);
    message_flush_output();
}

bool pattern_can_run(const struct pattern *pattern, size_t items,
                     const struct runtime_identity *runtime, char *reason)
{
    unsigned needs = pattern->needs | (items > ITEMS_OF_ALL ? CAPABILITY_MANY_ITEMS : 0u);
    return capabilities_allow(runtime, needs, pattern->create != NULL, reason,
                              CAPABILITY_TEXT_SIZE);
}

static json_t *pattern_json(const struct pattern *p, const struct runtime_identity *runtime)
{
    char reason[CAPABILITY_TEXT_SIZE], needs[CAPABILITY_TEXT_SIZE];
    bool available = pattern_can_run(p, 1, runtime, reason);
    return json_pack(
        "{s:s, s:s, s:o, s:b, s:b, s:s}", "pattern", p->name, "summary", p->summary, "needs",
        p->needs ? json_string(capabilities_text(p->needs, needs, sizeof needs)) : json_null(),
        "items", (int)p->chosen_items, "available", (int)available, "reason", reason);
}

static void list_json(const struct runtime_identity *runtime)
{
    json_t *list = json_array();
    for (size_t i = 0; patterns[i]; i++)
        json_array_append_new(list, pattern_json(patterns[i], runtime));
    json_t *description = json_pack("{s:s, s:s, s:o}", "schema", "pollux-micro-list/1", "benchmark",
                                    "task-overhead", "patterns", list);
    json_dumpf(description, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(description);
}

static void list_table(const struct runtime_identity *runtime)
{
    char reason[CAPABILITY_TEXT_SIZE];
    printf("%-13s  %s\n", "pattern", "summary");
    for (size_t i = 0; patterns[i]; i++) {
        bool available = pattern_can_run(patterns[i], 1, runtime, reason);
        printf("%-13s  %s", patterns[i]->name, patterns[i]->summary);
        printf("%s%s%s\n", available ? "" : " (not run: ", reason, available ? "" : ")");
    }
}

void micro_list(enum format format)
{
    struct runtime_identity runtime = runtime_identify();
    if (format == FORMAT_JSON)
        list_json(&runtime);
    else
        list_table(&runtime);
    message_flush_output();
}
