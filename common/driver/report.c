/* SPDX-License-Identifier: BSD-3-Clause
 * Tables have a row for each point, with medians; unknown numbers are "-", and reasons follow. CSV rows are made
 * from the records. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/statistics.h"
#include "common/driver/session.h"
#include "common/run/parameters.h"

enum { NUMBER_SIZE = 32 };

/* A number in `width` columns, seven at least: without its fraction or as a power of ten if it has to. */
static const char *table_text(double value, int width, int decimals, char *text)
{
    if (!isfinite(value))
        snprintf(text, NUMBER_SIZE, "%*s", width, "-");
    else if (snprintf(text, NUMBER_SIZE, "%*.*f", width, decimals, value) > width &&
             snprintf(text, NUMBER_SIZE, "%*.0f", width, value) > width)
        snprintf(text, NUMBER_SIZE, "%*.1e", width, value);
    return text;
}

/* Names of the columns of CSV, in order: NULL behind the last. */
static const char *csv_column(const struct program *program, size_t index)
{
    static const char *const last[] = {"passed", "runtime", "runtime_version", NULL};
    size_t before = 2 + (program->size.option != NULL), own = 0;
    while (program->csv_figures && program->csv_figures[own])
        own++;
    if (index < before)
        return index == 0 ? "benchmark" : index == 1 ? "variant" : program->size.option;
    index -= before;
    if (index < program->parameter_count)
        return program->parameters[index].name;
    index -= program->parameter_count;
    if (index < 2)
        return index == 0 ? "threads" : "repetition";
    index -= 2;
    if (index < program->quantity_count)
        return program->quantities[index].name;
    index -= program->quantity_count;
    return index < own ? program->csv_figures[index] : last[index - own];
}

static void print_csv_value(const json_t *value)
{
    if (json_is_integer(value))
        printf("%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        printf("%.9g", json_real_value(value));
    else if (json_is_string(value))
        printf("%s", json_string_value(value));
    else if (json_is_boolean(value))
        printf("%s", json_is_true(value) ? "true" : "false");
}

/* The value of that name: of the record, its runtime, size, parameters, quantities or figures. */
static const json_t *csv_value(const json_t *record, const char *name)
{
    static const char *const parts[] = {"parameters", "figures"};
    const json_t *runtime = json_object_get(record, "runtime");
    const json_t *size = json_object_get(record, "size");
    if (strcmp(name, "runtime") == 0)
        return json_object_get(runtime, "name");
    if (strcmp(name, "runtime_version") == 0)
        return json_object_get(runtime, "version");
    if (json_is_object(size) && strcmp(name, json_string_value(json_object_get(size, "name"))) == 0)
        return json_object_get(size, "value");
    const json_t *quantity = json_object_get(json_object_get(record, "quantities"), name);
    if (quantity)
        return json_object_get(quantity, "value");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *value = json_object_get(json_object_get(record, parts[i]), name);
        if (value)
            return value;
    }
    return json_object_get(record, name);
}

static void print_csv_heading(const struct program *program)
{
    const char *name;
    for (size_t i = 0; (name = csv_column(program, i)); i++)
        printf("%s%s", i > 0 ? "," : "", name);
    putchar('\n');
}

static void print_csv(const struct program *program, const json_t *record)
{
    const char *name;
    for (size_t i = 0; (name = csv_column(program, i)); i++) {
        if (i > 0)
            putchar(',');
        print_csv_value(csv_value(record, name));
    }
    putchar('\n');
}

/* Text columns are flush left, numbers flush right. */
static void print_headings(const struct program *program)
{
    for (const struct column *c = program->columns; c->heading; c++)
        printf("%s%*s", c == program->columns ? "" : " ",
               c->kind == COLUMN_VARIANT ? -c->width : c->width, c->heading);
    putchar('\n');
}

void columns_begin(const struct program *program, enum format format, const struct setup *setup,
                   double clock_ns)
{
    if (format == FORMAT_CSV)
        print_csv_heading(program);
    if (format != FORMAT_TABLE)
        return;
    printf("# %s: %s\n", program->name, program->title);
    printf("# runtime %s %s, %zu processor%s allowed\n", setup->runtime.name,
           version_in_words(setup->runtime.version), setup->allowed, plural(setup->allowed));
    printf("# a reading of the clock takes %.1f ns\n", clock_ns);
    print_headings(program);
}

void columns_repetition(const struct program *program, enum format format, const json_t *record)
{
    if (format == FORMAT_CSV)
        print_csv(program, record);
    if (format == FORMAT_JSON) {
        json_dumpf(record, stdout, JSON_COMPACT);
        putchar('\n');
    }
    message_flush_output();
}

double result_median(const struct result *results, size_t count, size_t quantity)
{
    double *values = zeros_for(count, sizeof *values, "%zu repetitions", count);
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(results[i].value[quantity]))
            values[known++] = results[i].value[quantity];
    double result = known > 0 ? median(values, known) : NAN;
    free(values);
    return result;
}

static void print_parameter(const struct subject *s, const struct column *c)
{
    char text[PARAMETER_TEXT_SIZE] = "-";
    if (has_parameter(s->point->variant, c->index))
        parameter_text(&s->program->parameters[c->index], s->point->parameter[c->index], text);
    printf("%*s", c->width, text);
}

static void print_cell(const struct subject *s, const struct column *c,
                       const struct result *results, size_t count)
{
    char text[NUMBER_SIZE];
    switch (c->kind) {
    case COLUMN_VARIANT:
        printf("%-*s", c->width, s->point->variant->name);
        break;
    case COLUMN_SIZE:
        printf("%*zu", c->width, s->point->size);
        break;
    case COLUMN_PARAMETER:
        print_parameter(s, c);
        break;
    case COLUMN_THREADS:
        printf("%*zu", c->width, point_threads(s->point));
        break;
    case COLUMN_QUANTITY:
        printf("%s", table_text(result_median(results, count, c->index), c->width, 1, text));
        break;
    case COLUMN_DERIVED:
        printf("%s", table_text(s->program->derive(c->index, results, count), c->width, 2, text));
        break;
    }
}

/* Why a quantity is not known in some repetitions, of which the row's median knows nothing. */
static void print_reason(const char *name, const struct result *results, size_t count, size_t q)
{
    const char *reason = NULL;
    size_t unknown = 0;
    for (size_t r = 0; r < count; r++) {
        if (!results[r].reason[q])
            continue;
        reason = results[r].reason[q];
        unknown++;
    }
    if (unknown == count)
        printf("    %s unknown: %s\n", name, reason);
    else if (unknown > 0)
        printf("    %s unknown in %zu of %zu: %s\n", name, unknown, count, reason);
}

static void print_row(const struct subject *s, const struct result *results, size_t count)
{
    const struct program *program = s->program;
    for (const struct column *c = program->columns; c->heading; c++) {
        printf("%s", c == program->columns ? "" : " ");
        print_cell(s, c, results, count);
    }
    putchar('\n');
    for (size_t q = 0; q < program->quantity_count; q++)
        if (program->quantities[q].explained)
            print_reason(program->quantities[q].name, results, count, q);
    if (program->remark)
        program->remark(s->point, results, count);
}

static void print_fault(const struct subject *s, size_t repetition, const char *fault)
{
    char size[FIELD_SIZE] = "";
    if (s->program->size.option)
        snprintf(size, sizeof size, " %zu %s,", s->point->size, s->program->size.option);
    size_t threads = point_threads(s->point);
    message_error("%s,%s %zu thread%s, repetition %zu: %s", s->point->variant->name, size, threads,
                  plural(threads), repetition, fault);
}

size_t columns_point(const struct subject *s, enum format format, const struct result *results,
                     size_t count)
{
    size_t passed = 0;
    if (format == FORMAT_TABLE)
        print_row(s, results, count);
    for (size_t i = 0; i < count; i++) {
        passed += results[i].passed;
        if (!results[i].passed && format != FORMAT_NONE)
            print_fault(s, i, results[i].fault);
    }
    message_flush_output();
    return passed;
}

void columns_end(const struct program *program, enum format format, const struct setup *setup,
                 const size_t counts[3], bool passed)
{
    if (format == FORMAT_NONE)
        return;
    fprintf(format == FORMAT_TABLE ? stdout : stderr,
            "%s %s runtime=%s configurations=%zu passed=%zu/%zu\n", passed ? "PASS" : "FAIL",
            program->name, setup->runtime.name, counts[0], counts[1], counts[2]);
    message_flush_output();
}
