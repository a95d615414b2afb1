/* SPDX-License-Identifier: BSD-3-Clause
 * Columns are aligned and carry units; numbers that do not exist are "-". */
#include "common/output/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/statistics.h"
#include "common/matrix/tile_shape.h"
#include "common/run/parameters.h"

enum { NUMBER_SIZE = 32 };

/* Columns are as wide as the name or the longest word. */
static int parameter_width(const struct parameter *p)
{
    size_t width = strlen(p->name) > 7 ? strlen(p->name) : 7;
    for (size_t w = 0; p->words && p->words[w]; w++)
        if (strlen(p->words[w]) > width)
            width = strlen(p->words[w]);
    return (int)width;
}

/* Whether the table has a column for a parameter. */
static bool is_shown(const struct report *report, size_t index)
{
    return report->parameters >> index & 1u;
}

static void begin_table(const struct report *report)
{
    const struct setup *setup = report->setup;
    printf("# %s: %s\n", report->benchmark->name, report->benchmark->summary);
    printf("# kernels %s, runtime %s %s, BLAS %s %s%s%s, %zu processor%s allowed\n",
           kernel_set_names[report->kernels], setup->runtime.name,
           version_in_words(setup->runtime.version), setup->blas.library,
           version_in_words(setup->blas.version), setup->blas.core[0] ? " for " : "",
           setup->blas.core, setup->allowed, plural(setup->allowed));
    if (report->tiles_guessed)
        puts("# the default tile is a guess here: pollux tune finds the best, pollux tune --table "
             "makes it a default");
    printf("%-9s %7s %7s %9s %4s ", "variant", "M", "N", "tile", "IB");
    for (size_t i = 0; i < report->benchmark->parameter_count; i++) {
        const struct parameter *p = &report->benchmark->parameters[i];
        if (is_shown(report, i))
            printf("%*s ", parameter_width(p), p->name);
    }
    printf("%7s %6s %10s %9s %9s  %-5s %s\n", "threads", "rep", "seconds", "GFlop/s", "residual",
           "check", "digest");
}

void report_begin(const struct report *report)
{
    if (report->format == FORMAT_TABLE)
        begin_table(report);
    if (report->format == FORMAT_CSV)
        printf(
            "benchmark,variant,m,n,mb,nb,ib,threads,repetition,seed,seconds,gflops,residual,status,"
            "passed,digest,runtime,runtime_version,blas_version,blas_core,kernels,tile_source,"
            "joules,parameters\n");
    message_flush_output();
}

static double worst_residual(const struct outcome *outcome)
{
    double worst = 0.0;
    for (size_t i = 0; i < outcome->verification.count; i++)
        worst = worse(worst, outcome->verification.residuals[i].value);
    return worst;
}

static void residual_text(const struct outcome *outcome, const char *none, char *text)
{
    if (outcome->verification.count > 0)
        snprintf(text, NUMBER_SIZE, "%.3g", worst_residual(outcome));
    else
        snprintf(text, NUMBER_SIZE, "%s", none);
}

/* The columns that repetitions and medians share. */
static void print_configuration(const struct report *report, const struct configuration *c,
                                const char *repetition)
{
    char inner[NUMBER_SIZE] = "-", tile[TILE_SHAPE_TEXT_SIZE];
    if (c->ib > 0)
        snprintf(inner, sizeof inner, "%zu", c->ib);
    printf("%-9s %7zu %7zu %9s %4s ", c->variant->name, c->m, c->n,
           tile_shape_text((struct tile_shape){c->mb, c->nb}, tile), inner);
    for (size_t i = 0; i < c->benchmark->parameter_count; i++) {
        const struct parameter *p = &c->benchmark->parameters[i];
        char value[PARAMETER_TEXT_SIZE] = "-";
        if (configuration_has_parameter(c, i))
            parameter_text(p, c->parameters[i], value);
        if (is_shown(report, i))
            printf("%*s ", parameter_width(p), value);
    }
    printf("%7zu %6s ", c->threads, repetition);
}

static const char *check_text(const struct outcome *outcome)
{
    if (!outcome->passed)
        return "FAIL";
    return outcome->verification.count == 0 ? "none" : "pass";
}

static void print_row(const struct report *report, const struct configuration *c,
                      const struct outcome *outcome, size_t repetition)
{
    char number[NUMBER_SIZE], residual[NUMBER_SIZE];
    snprintf(number, sizeof number, "%zu", repetition);
    residual_text(outcome, "-", residual);
    print_configuration(report, c, number);
    if (outcome->failure != 0)
        printf("%10.4f %9s %9s  %-5s -\n", outcome->seconds, "-", "-", check_text(outcome));
    else
        printf("%10.4f %9.2f %9s  %-5s %016" PRIx64 "\n", outcome->seconds, outcome->gflops,
               residual, check_text(outcome), outcome->digest);
}

/* "NAME=VALUE" for each parameter; the first one after the text `before`, the others after a space. */
static void print_parameters(FILE *stream, const struct configuration *c, const char *before)
{
    char value[PARAMETER_TEXT_SIZE];
    for (size_t i = 0; i < c->benchmark->parameter_count; i++) {
        const struct parameter *p = &c->benchmark->parameters[i];
        if (!configuration_has_parameter(c, i))
            continue;
        fprintf(stream, "%s%s=%s", before, p->name, parameter_text(p, c->parameters[i], value));
        before = " ";
    }
}

static void print_csv(const struct report *report, const struct configuration *c,
                      const struct outcome *outcome, size_t repetition)
{
    const struct setup *setup = report->setup;
    char residual[NUMBER_SIZE], inner[NUMBER_SIZE] = "", gflops[NUMBER_SIZE] = "",
                                digest[NUMBER_SIZE] = "", joules[NUMBER_SIZE] = "";
    residual_text(outcome, "", residual);
    if (c->ib > 0)
        snprintf(inner, sizeof inner, "%zu", c->ib);
    if (outcome->failure == 0) {
        snprintf(gflops, sizeof gflops, "%.6g", outcome->gflops);
        snprintf(digest, sizeof digest, "%016" PRIx64, outcome->digest);
    }
    if (outcome->energy == ENERGY_MEASURED)
        snprintf(joules, sizeof joules, "%.9g", outcome->joules);
    printf("%s,%s,%zu,%zu,%zu,%zu,%s,%zu,%zu,%" PRIu64 ",%.9g,%s,%s,%" PRId64
           ",%s,%s,%s,%s,%s,%s,%s,%s,%s,",
           c->benchmark->name, c->variant->name, c->m, c->n, c->mb, c->nb, inner, c->threads,
           repetition, outcome->seed, outcome->seconds, gflops, residual, outcome->failure,
           outcome->passed ? "true" : "false", digest, setup->runtime.name, setup->runtime.version,
           setup->blas.version, setup->blas.core, kernel_set_names[c->kernels],
           tile_source_names[c->tile_source], joules);
    print_parameters(stdout, c, "");
    putchar('\n');
}

void report_repetition(const struct report *report, const struct configuration *c,
                       const struct outcome *outcome, size_t repetition, const json_t *record)
{
    message_progress_end();
    switch (report->format) {
    case FORMAT_TABLE:
        print_row(report, c, outcome, repetition);
        break;
    case FORMAT_CSV:
        print_csv(report, c, outcome, repetition);
        break;
    case FORMAT_JSON:
        json_dumpf(record, stdout, JSON_COMPACT);
        putchar('\n');
        break;
    case FORMAT_NONE:
        break;
    }
    message_flush_output();
}

/* The summary of the repetitions of one configuration; times and speeds are of those that came to an end. */
struct summary {
    size_t passed, count, ended;
    double seconds, gflops, least_gflops, most_gflops, residual;
    bool checked;
    const struct outcome *failed; /* the first one that did not, or NULL */
};

static struct summary summarise(const struct outcome *outcomes, size_t count)
{
    struct summary s = {.count = count};
    double *values = zeros(2 * count, sizeof *values);
    double *gflops = values + count;
    for (size_t i = 0; i < count; i++) {
        s.passed += outcomes[i].passed;
        if (outcomes[i].failure != 0) {
            s.failed = s.failed ? s.failed : &outcomes[i];
            continue;
        }
        values[s.ended] = outcomes[i].seconds;
        gflops[s.ended++] = outcomes[i].gflops;
        s.residual = worse(s.residual, worst_residual(&outcomes[i]));
        s.checked = s.checked || outcomes[i].verification.count > 0;
    }
    if (s.ended > 0) {
        s.seconds = median(values, s.ended);
        s.gflops = median(gflops, s.ended);
        s.least_gflops = gflops[0];
        s.most_gflops = gflops[s.ended - 1];
    }
    free(values);
    return s;
}

/* "-" with --check=none. */
static const char *summary_residual(const struct summary *s, char text[NUMBER_SIZE])
{
    snprintf(text, NUMBER_SIZE, s->checked ? "%.3g" : "-", s->residual);
    return text;
}

/* A line about the repetitions whose energy was measured, if there are any. */
static void print_energy(const struct outcome *outcomes, size_t count)
{
    double *values = zeros(3 * count, sizeof *values);
    size_t measured = 0;
    double *joules = values, *watts = values + count, *efficiency = values + 2 * count;
    for (size_t i = 0; i < count; i++) {
        if (outcomes[i].energy != ENERGY_MEASURED || outcomes[i].failure != 0)
            continue;
        joules[measured] = outcomes[i].joules;
        watts[measured] = outcomes[i].joules / outcomes[i].seconds;
        efficiency[measured++] = 1e-9 * outcomes[i].flops / outcomes[i].joules;
    }
    if (measured > 0)
        printf("energy of packages and memory, median of %zu: %.4g J, %.4g W, %.4g GFlop/s per "
               "watt\n",
               measured, median(joules, measured), median(watts, measured),
               median(efficiency, measured));
    free(values);
}

/* A line with the median of each of the benchmark's own figures, if it has any; one repetition at least has ended. */
static void print_figures(const struct outcome *outcomes, size_t count)
{
    double *values = zeros(count, sizeof *values);
    const struct outcome *ended = outcomes;
    while (ended->failure != 0)
        ended++;
    for (size_t f = 0; f < ended->figure_count; f++) {
        size_t known = 0;
        for (size_t i = 0; i < count; i++)
            if (outcomes[i].failure == 0)
                values[known++] = outcomes[i].figures[f].value;
        printf("%s%s %.5g", f == 0 ? "figures, medians: " : ", ", ended->figures[f].name,
               median(values, known));
    }
    if (ended->figure_count > 0)
        putchar('\n');
    free(values);
}

static void print_verdict(FILE *stream, const struct report *report, const struct configuration *c,
                          const struct summary *s)
{
    char tile[TILE_SHAPE_TEXT_SIZE], residual[NUMBER_SIZE];
    summary_residual(s, residual);
    fprintf(stream,
            "%s %s variant=%s kernels=%s m=%zu n=%zu tile=%s tile_source=%s threads=%zu "
            "runtime=%s",
            s->passed == s->count ? "PASS" : "FAIL", c->benchmark->name, c->variant->name,
            kernel_set_names[c->kernels], c->m, c->n,
            tile_shape_text((struct tile_shape){c->mb, c->nb}, tile),
            tile_source_names[c->tile_source], c->threads, report->setup->runtime.name);
    print_parameters(stream, c, " ");
    fprintf(stream, " passed=%zu/%zu", s->passed, s->count);
    if (s->failed)
        fprintf(stream, " column=%" PRId64 "\n", s->failed->failure);
    else
        fprintf(stream, " GFlop/s=%.2f range=%.2f..%.2f residual=%s\n", s->gflops, s->least_gflops,
                s->most_gflops, residual);
}

/* One line about the first repetition whose inner regions were too small. */
static void explain_levels(const struct configuration *c, const struct outcome *outcomes,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct levels *levels = &outcomes[i].levels;
        if (!levels_missing(levels))
            continue;
        message_error("%s, N = %zu: not nested: the runtime gave parallel regions inside tasks %zu "
                      "of %zu threads, so their times say nothing of nested parallelism",
                      c->variant->name, c->n, levels->inner_given, levels->inner_requested);
        return;
    }
}

static void explain_failure(const struct configuration *c, const struct outcome *outcome)
{
    char text[512];
    if (!c->benchmark->failure)
        return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, c->benchmark->failure, (long long)outcome->failure);
#pragma GCC diagnostic pop
    message_error("%s, N = %zu: %s", c->variant->name, c->n, text);
}

bool report_configuration(const struct report *report, const struct configuration *c,
                          const struct outcome *outcomes, size_t count)
{
    struct summary s = summarise(outcomes, count);
    bool table = report->format == FORMAT_TABLE;
    if (report->format == FORMAT_NONE)
        return s.passed == s.count;
    if (table && s.ended > 0) {
        const char *check = s.passed < s.count ? "FAIL" : s.checked ? "pass" : "none";
        char residual[NUMBER_SIZE];
        print_configuration(report, c, "median");
        printf("%10.4f %9.2f %9s  %-5s range %.2f to %.2f GFlop/s\n", s.seconds, s.gflops,
               summary_residual(&s, residual), check, s.least_gflops, s.most_gflops);
    }
    if (table && s.ended > 0) {
        print_figures(outcomes, count);
        print_energy(outcomes, count);
    }
    if (s.failed)
        explain_failure(c, s.failed);
    explain_levels(c, outcomes, count);
    print_verdict(table ? stdout : stderr, report, c, &s);
    message_flush_output();
    return s.passed == s.count;
}

void report_progress(const struct report *report, const struct configuration *c, size_t done,
                     size_t total)
{
    static const double PATIENCE_SECONDS = 3.0;
    static double start = 0.0;
    if (report->format == FORMAT_NONE || !isatty(STDERR_FILENO))
        return;
    if (start <= 0.0)
        start = now_seconds();
    double elapsed = now_seconds() - start;
    if (elapsed < PATIENCE_SECONDS)
        return;
    message_progress("[%zu/%zu, %.0f s] %s %s N = %zu, NB = %zu, %zu thread%s", done, total,
                     elapsed, c->benchmark->name, c->variant->name, c->n, c->nb, c->threads,
                     plural(c->threads));
}
