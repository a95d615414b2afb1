/* SPDX-License-Identifier: BSD-3-Clause
 * How small a task may be: the efficiency of patterns of tasks that compute, over the size of their work. */
#include <math.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/base/sizes.h"
#include "common/driver/program.h"
#include "common/process/blas_selftest.h"
#include "micro/granularity/curves.h"
#include "micro/granularity/sweep.h"

enum { WORK, SMALLEST, LARGEST };
enum { NS_PER_TASK, METG_50, METG_90, METG_50_BEST, METG_90_BEST };
enum { KEY_REFERENCE = PROGRAM_KEY_OWN };
enum { DISTANCE = 64 }; /* of the addresses that items name, in bytes */

static const double thresholds[] = {[METG_50] = 0.5, [METG_90] = 0.9};
static const char NO_REFERENCE[] = "--reference-ns was not given";
static const char TOO_SERIAL[] = "too few tasks can run at once for so many threads";

/* --reference-ns; NaN: not given. */
static double reference = NAN;

static const struct parameter parameters[] = {
    [WORK] = {.name = "work",
              .summary = "what a task computes: a chain of multiply-adds, or a product of tiles",
              .words = work_names,
              .standard = WORK_CYCLES},
    [SMALLEST] = {.name = "smallest-grain",
                  .metavar = "G",
                  .summary = "first multiply-adds, or order of tiles; 0: 16, or NB = 8",
                  .most = NUMBER_MAX},
    [LARGEST] = {.name = "largest-grain",
                 .metavar = "G",
                 .summary = "last; 0: 65536, or NB = 192",
                 .most = NUMBER_MAX}};

static const struct quantity quantities[] = {
    [NS_PER_TASK] = {.name = "ns_per_task",
                     .summary = "all of a task with the smallest grain",
                     .unit = "ns"},
    [METG_50] = {.name = "metg_50",
                 .summary = "smallest granularity of 50 % efficiency against one thread",
                 .unit = "ns",
                 .explained = true},
    [METG_90] = {.name = "metg_90",
                 .summary = "smallest granularity of 90 % efficiency against one thread",
                 .unit = "ns",
                 .explained = true},
    [METG_50_BEST] = {.name = "metg_50_best",
                      .summary = "as metg_50, against --reference-ns",
                      .unit = "ns"},
    [METG_90_BEST] = {
        .name = "metg_90_best", .summary = "as metg_90, against --reference-ns", .unit = "ns"}};

static const struct column columns[] = {{COLUMN_VARIANT, 13, "pattern", 0},
                                        {COLUMN_SIZE, 7, "tasks", 0},
                                        {COLUMN_PARAMETER, 6, "work", WORK},
                                        {COLUMN_THREADS, 4, "thr.", 0},
                                        {COLUMN_QUANTITY, 8, "smallest", NS_PER_TASK},
                                        {COLUMN_QUANTITY, 8, "METG 50", METG_50},
                                        {COLUMN_QUANTITY, 8, "METG 90", METG_90},
                                        {COLUMN_QUANTITY, 8, "best 50", METG_50_BEST},
                                        {COLUMN_QUANTITY, 8, "best 90", METG_90_BEST},
                                        {0}};

static const char *const csv_figures[] = {"unit_ns", "reference_unit_ns", "attainable", NULL};

static const struct argp_option options[] = {
    {"reference-ns", KEY_REFERENCE, "NS", 0,
     "the best runtime's time of a multiply-add: unit_ns of its records", 1},
    {0}};

static void take_option(int key, const char *text)
{
    char *end;
    (void)key;
    reference = strtod(text, &end);
    if (end == text || *end || !(reference > 0.0) || !isfinite(reference))
        message_fatal(POLLUX_USAGE, "--reference-ns %s: must be more than 0 ns", quoted(text).text);
}

static struct program_variant variant(size_t index)
{
    const struct pattern *p = patterns[index];
    if (!p)
        return (struct program_variant){0};
    return (struct program_variant){.name = p->name,
                                    .summary = p->summary,
                                    .needs = p->needs,
                                    .missing = !p->create,
                                    .tasks_per_update = 1,
                                    .parameters = 1u << WORK | 1u << SMALLEST | 1u << LARGEST};
}

static enum work_kind kind_of(const struct point *point)
{
    return (enum work_kind)point->parameter[WORK];
}

static size_t grains_of(const struct point *point, size_t *grains)
{
    return work_grains(kind_of(point), point->parameter[SMALLEST], point->parameter[LARGEST],
                       grains);
}

/* A product of tiles and a chain of multiply-adds have different times. */
static void check_command_line(struct program_options *given)
{
    if (!isnan(reference) && given->parameters[WORK].count > 1)
        message_fatal(POLLUX_USAGE,
                      "--reference-ns is the time of one kind of work: choose one with --work");
}

static void check_options(const struct point *point)
{
    size_t grains[GRAINS_MAX], count = grains_of(point, grains);
    size_t smallest = point->parameter[SMALLEST], largest = point->parameter[LARGEST];
    work_default_grains(kind_of(point), &smallest, &largest);
    if (count < 2)
        message_fatal(POLLUX_USAGE,
                      "--smallest-grain %zu, --largest-grain %zu: two grains at least are needed, "
                      "each twice the one before",
                      smallest, largest);
    if (kind_of(point) == WORK_DGEMM && grains[count - 1] > DGEMM_MAX)
        message_fatal(POLLUX_USAGE, "--largest-grain %zu: tiles of order %d at most are possible",
                      largest, DGEMM_MAX);
}

static struct micro_configuration configuration_of(const struct point *point)
{
    return (struct micro_configuration){.pattern = patterns[point->index],
                                        .tasks = point->size,
                                        .items = 1,
                                        .distance = DISTANCE,
                                        .threads = point->threads,
                                        .creators = 1};
}

static size_t fit(const struct point *point)
{
    return pattern_fit(patterns[point->index], point->size);
}

static size_t bytes(const struct point *point)
{
    const struct micro_configuration c = configuration_of(point);
    size_t grains[GRAINS_MAX], count = grains_of(point, grains);
    size_t largest = count > 0 ? grains[count - 1] : 0; /* listings take what runs refuse */
    return saturating_add(bench_bytes(&c), work_bytes(kind_of(point), point->threads, largest));
}

static void require(const struct point *point)
{
    const struct micro_configuration c = configuration_of(point);
    bench_require_addresses(&c);
}

static void *create(const struct point *point, const struct run_context *context)
{
    const struct micro_configuration c = configuration_of(point);
    struct sweep *sweep = zeros(1, sizeof *sweep);
    *sweep = (struct sweep){.bench = bench_create(&c, context->seed),
                            .kind = kind_of(point),
                            .tasks = c.tasks,
                            .threads = c.threads,
                            .unit_ns = reference};
    sweep->count = grains_of(point, sweep->grains);
    size_t largest = sweep->grains[sweep->count - 1];
    if (sweep->kind == WORK_DGEMM)
        blas_require_selftest(largest, c.threads);
    sweep->work = work_create(sweep->kind, c.threads, largest);
    return sweep;
}

static void destroy(void *bench)
{
    struct sweep *sweep = bench;
    bench_destroy(sweep->bench);
    work_destroy(sweep->work);
    free(sweep);
}

static void lack(struct result *result, int quantity, const char *reason)
{
    result->value[quantity] = NAN;
    result->reason[quantity] = reason;
}

/* The four METG: against one thread, and against the rate of another runtime. Where the pattern allows no more than
 * the threshold, only noise can cross it. */
static void set_metg(const struct sweep *sweep, const struct curve_point *curve,
                     struct result *result)
{
    double granularity[GRAINS_MAX], own[GRAINS_MAX], best[GRAINS_MAX];
    double attainable = bench_attainable(sweep->bench);
    for (size_t i = 0; i < sweep->count; i++) {
        granularity[i] = curve[i].granularity_ns;
        own[i] = curve[i].efficiency;
        best[i] = curve[i].efficiency_best;
    }
    for (int q = METG_50; q <= METG_90_BEST; q++) {
        bool against_best = q >= METG_50_BEST;
        double threshold = thresholds[against_best ? q - METG_50_BEST + METG_50 : q];
        result->value[q] = metg(granularity, against_best ? best : own, sweep->count, threshold,
                                &result->reason[q]);
        if (against_best && isnan(sweep->unit_ns))
            lack(result, q, NO_REFERENCE);
        else if (attainable <= threshold)
            lack(result, q, TOO_SERIAL);
    }
}

/* The least time of a multiply-add on the curve, times threads: the rate of this runtime. */
static double least_unit_ns(const struct sweep *sweep, const struct curve_point *curve)
{
    double least = INFINITY;
    for (size_t i = 0; i < sweep->count; i++)
        least = fmin(least, curve[i].granularity_ns / work_units(sweep->kind, curve[i].grain));
    return least;
}

static void repeat(void *bench, struct result *result)
{
    const struct sweep *sweep = bench;
    struct curve_point curve[GRAINS_MAX];
    struct repetition r = sweep_repeat(sweep, curve);
    result_set_figure(result, "unit_ns", least_unit_ns(sweep, curve), NULL);
    result_set_figure(result, "reference_unit_ns", sweep->unit_ns, NO_REFERENCE);
    result_set_figure(result, "attainable", bench_attainable(sweep->bench), NULL);
    json_object_set_new(result->details, "curve", curve_json(curve, r.passed ? sweep->count : 0));
    if (!r.passed)
        result_fail(result, "%s", r.fault);
    result->value[NS_PER_TASK] = curve[0].ns_per_task;
    set_metg(sweep, curve, result);
}

static void remark(const struct point *point, const struct result *results, size_t count)
{
    curves_print(kind_of(point), results, count);
}

static const struct program program = {
    .name = "granularity",
    .summary =
        "how small a task may be: the smallest granularity at which a pattern of tasks is 50 "
        "or 90 % as fast as its work alone (METG)",
    .example = "-p stencil-1d,cholesky --work dgemm -t 1,2 -o granularity.jsonl",
    .failure = "tasks ran in a wrong order",
    .title = "ns, medians of the repetitions; METG: elapsed x threads / tasks",
    .blas = true,
    .variant_option = "pattern",
    .variant_key = 'p',
    .variant_summary = "pattern(s) of tasks, or all; see --list (all)",
    .variant = variant,
    .size = {.option = "tasks",
             .key = 'n',
             .metavar = "N[,N...]",
             .summary = "tasks created in a row: a list, or START:STOP:STEP",
             .standard = 1024},
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .columns = columns,
    .csv_figures = csv_figures,
    .options = options,
    .take_option = take_option,
    .check_command_line = check_command_line,
    .check_options = check_options,
    .fit = fit,
    .bytes = bytes,
    .require = require,
    .create = create,
    .destroy = destroy,
    .repeat = repeat,
    .remark = remark};

int main(int argc, char **argv)
{
    return program_main(&program, argc, argv);
}
