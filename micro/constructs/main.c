/* SPDX-License-Identifier: BSD-3-Clause
 * The executable constructs. */
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/driver/program.h"
#include "common/execution/task_memory.h"
#include "micro/constructs/interval.h"
#include "micro/constructs/measure.h"

enum { DELAY, INNER, TEST_TIME, PARAMETERS };

static const struct parameter parameters[PARAMETERS] = {
    [DELAY] = {.name = "delay",
               .metavar = "NS",
               .summary = "nanoseconds of work inside each construct",
               .least = 1,
               .most = 1000000,
               .standard = 100},
    [INNER] = {.name = "inner",
               .metavar = "K",
               .summary = "executions in a row; 0: as many as take --test-time",
               .most = 1 << 22},
    [TEST_TIME] = {.name = "test-time",
                   .metavar = "US",
                   .summary = "microseconds that a test takes at least",
                   .least = 1,
                   .most = 1000000,
                   .standard = 1000}};

static const struct quantity quantities[] = {
    [CONSTRUCT_OVERHEAD] = {.name = "overhead_ns",
                            .summary = "of a construct: test less reference",
                            .unit = "ns"},
    [CONSTRUCT_TEST] = {.name = "test",
                        .summary = "an execution of the construct with its work",
                        .unit = "ns"},
    [CONSTRUCT_REFERENCE] = {
        .name = "reference", .summary = "an execution of the work alone", .unit = "ns"}};

/* Of the overheads of all repetitions; NaN where one of them is not known. */
static struct interval interval_of(const struct result *results, size_t count)
{
    struct interval interval;
    double *values = zeros_for(count, sizeof *values, "%zu repetitions", count);
    for (size_t i = 0; i < count; i++)
        values[i] = results[i].value[CONSTRUCT_OVERHEAD];
    interval = interval_of_mean(values, count);
    free(values);
    return interval;
}

enum { MEAN, HALF_WIDTH };

static double derive(size_t index, const struct result *results, size_t count)
{
    struct interval interval = interval_of(results, count);
    return index == MEAN ? interval.mean : interval.half_width;
}

static const struct column columns[] = {{COLUMN_VARIANT, 13, "construct", 0},
                                        {COLUMN_THREADS, 4, "thr.", 0},
                                        {COLUMN_QUANTITY, 10, "reference", CONSTRUCT_REFERENCE},
                                        {COLUMN_QUANTITY, 10, "test", CONSTRUCT_TEST},
                                        {COLUMN_QUANTITY, 10, "overhead", CONSTRUCT_OVERHEAD},
                                        {COLUMN_DERIVED, 10, "mean", MEAN},
                                        {COLUMN_DERIVED, 10, "+-", HALF_WIDTH},
                                        {0}};

static struct program_variant variant(size_t index)
{
    const struct construct *construct = constructs[index];
    if (!construct)
        return (struct program_variant){0};
    const unsigned every = (1u << PARAMETERS) - 1;
    return (struct program_variant){.name = construct->name,
                                    .summary = construct->summary,
                                    .needs = construct->needs,
                                    .missing = !construct->test,
                                    .tasks_per_update = 1,
                                    .parameters = every & ~(construct->bare ? 1u << DELAY : 0u)};
}

/* The same would be measured again and again. */
static void check_command_line(struct program_options *given)
{
    const struct number_list inner = given->parameters[INNER];
    for (size_t i = 0; i < inner.count; i++)
        if (inner.value[i] > 0 && given->parameters[TEST_TIME].count > 1)
            message_fatal(POLLUX_USAGE,
                          "--inner %zu: --test-time has no effect with it: choose one of them",
                          inner.value[i]);
}

/* Executions that take --test-time, at most: their number is doubled until they do. */
static size_t inner_at_most(const struct point *point)
{
    const size_t TASKS_IN_US = 5; /* of the fastest runtimes */
    return saturating_multiply(point->parameter[TEST_TIME], 2 * TASKS_IN_US);
}

/* Of the tasks of a test. */
static size_t bytes(const struct point *point)
{
    const struct construct *construct = constructs[point->index];
    size_t inner = point->parameter[INNER] > 0 ? point->parameter[INNER] : inner_at_most(point);
    if (!construct->waiting)
        return 0;
    return saturating_multiply(construct_executions(construct, point->threads, inner),
                               TASK_BYTES + ITEM_BYTES);
}

static void *create(const struct point *point, const struct run_context *context)
{
    const double NS_IN_US = 1e3;
    const struct construct_configuration configuration = {
        .construct = constructs[point->index],
        .threads = point->threads,
        .inner = point->parameter[INNER],
        .test_ns = (double)point->parameter[TEST_TIME] * NS_IN_US,
        .delay_steps = construct_delay_steps((double)point->parameter[DELAY])};
    (void)context;
    return construct_bench_create(&configuration);
}

static void destroy(void *bench)
{
    construct_bench_destroy(bench);
}

static void repeat(void *bench, struct result *result)
{
    construct_bench_repeat(bench, result);
}

int main(int argc, char **argv)
{
    const struct program program = {
        .name = "constructs",
        .summary = "what single constructs of OpenMP cost",
        .example = "-c barrier,task,depend -t 1,2 -r 20 -o constructs.jsonl",
        .failure = "constructs did not do what they are for",
        .title = "ns per execution: medians, and the mean with its 95 % interval",
        .variant_option = "construct",
        .variant_key = 'c',
        .variant_summary = "construct(s), or all; see --list (all)",
        .variant = variant,
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .quantities = quantities,
        .quantity_count = sizeof quantities / sizeof *quantities,
        .columns = columns,
        .derive = derive,
        .check_command_line = check_command_line,
        .bytes = bytes,
        .create = create,
        .destroy = destroy,
        .repeat = repeat};
    return program_main(&program, argc, argv);
}
