/* SPDX-License-Identifier: BSD-3-Clause
 * The executable `regions`: what parallel regions inside others cost. */
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/base/sizes.h"
#include "common/driver/program.h"
#include "common/machine/affinity.h"
#include "common/process/runtime_routines.h"
#include "micro/regions/measure.h"

enum { INNER, WORK, ALPHA };

enum { ALPHA_MAX = 16 };

/* The span of each of the two timed passes of a repetition. */
static const double SPAN_NS = 2e7;

static const struct parameter parameters[] = {
    [INNER] = {.name = "inner",
               .metavar = "T",
               .summary = "iterations of the inner loops, and threads of inner regions",
               .least = 1,
               .most = NUMBER_MAX,
               .standard = 2,
               .inner_team = true},
    [WORK] = {.name = "work",
              .metavar = "CYCLES",
              .summary = "cycles of an iteration, on average",
              .least = 0,
              .most = NUMBER_MAX,
              .standard = 0},
    [ALPHA] = {.name = "alpha",
               .metavar = "A",
               .summary = "how uneven the outer iterations' work is, at a constant total: 0 even",
               .least = 0,
               .most = ALPHA_MAX,
               .standard = 0}};

static const struct quantity quantities[] = {
    [REGIONS_OVERHEAD] = {.name = "overhead_ns",
                          .summary = "an inner region or loop: (region - ideal) / their number",
                          .unit = "ns"},
    [REGIONS_OUTER] = {.name = "outer",
                       .summary = "the region of the outer loop alone, empty",
                       .unit = "ns"},
    [REGIONS_REGION] = {.name = "region",
                        .summary = "all loops once, inner and outer",
                        .unit = "ns"},
    [REGIONS_IDEAL] = {.name = "ideal",
                       .summary = "the bound: the work on all processors, or its longest iteration",
                       .unit = "ns"}};

static const struct column columns[] = {{COLUMN_VARIANT, 9, "form", 0},
                                        {COLUMN_THREADS, 5, "outer", 0},
                                        {COLUMN_PARAMETER, 5, "inner", INNER},
                                        {COLUMN_PARAMETER, 8, "work", WORK},
                                        {COLUMN_PARAMETER, 5, "alpha", ALPHA},
                                        {COLUMN_QUANTITY, 9, "overhead", REGIONS_OVERHEAD},
                                        {COLUMN_QUANTITY, 9, "outer", REGIONS_OUTER},
                                        {COLUMN_QUANTITY, 10, "all loops", REGIONS_REGION},
                                        {COLUMN_QUANTITY, 10, "ideal", REGIONS_IDEAL},
                                        {0}};

static const char *const csv_figures[] = {"rounds", "clock_ns", NULL};

static struct program_variant variant(size_t index)
{
    const struct form *form = &forms[index];
    if (!form->name)
        return (struct program_variant){0};
    return (struct program_variant){.name = form->name,
                                    .summary = form->summary,
                                    .needs = form->needs,
                                    .missing = !form->run,
                                    .nested = true,
                                    .tasks_per_update = 1,
                                    .parameters =
                                        1u << WORK | 1u << ALPHA | (form->flat ? 0u : 1u << INNER)};
}

static struct regions_configuration configuration_of(const struct point *point)
{
    return (struct regions_configuration){.form = &forms[point->index],
                                          .outer = point->threads,
                                          .inner = point->parameter[INNER],
                                          .work = point->parameter[WORK],
                                          .alpha = point->parameter[ALPHA],
                                          .processors = team_within_quota(affinity_initial_count()),
                                          .span_ns = SPAN_NS,
                                          .active_levels = (size_t)runtime_active_levels()};
}

static size_t all_threads(const struct point *point)
{
    const struct regions_configuration c = configuration_of(point);
    return regions_all_threads(&c);
}

static size_t bytes(const struct point *point)
{
    const struct regions_configuration c = configuration_of(point);
    return regions_bytes(&c);
}

/* Runtimes give smaller teams without a word where a limit is reached. */
static void require(const struct point *point)
{
    size_t threads = all_threads(point), limit = (size_t)runtime_thread_limit();
    if (threads > limit)
        message_fatal(POLLUX_MACHINE,
                      "%s: %zu threads are more than the runtime's limit of %zu: raise "
                      "OMP_THREAD_LIMIT, or request fewer with --outer or --inner",
                      point->variant->name, threads, limit);
}

static void *create(const struct point *point, const struct run_context *context)
{
    struct regions_configuration c = configuration_of(point);
    c.seed = context->seed;
    c.clock_ns = context->clock_ns;
    return regions_create(&c);
}

static void destroy(void *bench)
{
    regions_destroy(bench);
}

/* Null where no region was opened. */
static json_t *threads_json(size_t threads)
{
    return threads > 0 ? json_integer((json_int_t)threads) : json_null();
}

static json_t *levels_json(const struct form *form, struct regions_levels levels)
{
    json_t *threads = json_array();
    json_array_append_new(threads, threads_json(levels.outer));
    if (form->regions)
        json_array_append_new(threads, threads_json(levels.inner));
    return threads;
}

static void set_levels(struct result *result, const struct regions_configuration *c,
                       struct regions_levels given)
{
    const struct form *form = c->form;
    result->levels = json_pack(
        "{s:o, s:o, s:o}", "requested", levels_json(form, regions_requested(c)), "allowed",
        levels_json(form, regions_allowed(c)), "given", levels_json(form, given));
}

static void repeat(void *bench, struct result *result)
{
    struct regions_shown shown = regions_repeat(bench, result);
    json_object_set_new(result->figures, "rounds", json_integer((json_int_t)shown.rounds));
    set_levels(result, regions_configuration_of(bench), shown.given);
}

static const struct program program = {
    .name = "regions",
    .summary = "what parallel regions inside others cost, with and without work, and tasks in "
               "their place",
    .example = "-v flat,parallel --outer 1,2,4 --inner 1,2,4 -o regions.jsonl",
    .failure = "a region had too few threads, or an iteration did not run exactly once",
    .title = "ns, medians of the repetitions",
    .nested = true,
    .variant_option = "form",
    .variant_key = 'v',
    .variant_summary = "form(s) of the loops, or all; see --list (all)",
    .variant = variant,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .columns = columns,
    .csv_figures = csv_figures,
    .all_threads = all_threads,
    .bytes = bytes,
    .require = require,
    .create = create,
    .destroy = destroy,
    .repeat = repeat};

int main(int argc, char **argv)
{
    return program_main(&program, argc, argv);
}
