/* SPDX-License-Identifier: BSD-3-Clause
 * What a task with dependences costs in the runtime, told apart: the tables, and one point of the plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/base/sizes.h"
#include "common/driver/program.h"
#include "common/identity/capabilities.h"
#include "common/process/runtime_routines.h"
#include "micro/factorization.h"
#include "micro/measure.h"
#include "micro/task_overhead.h"

enum { ITEMS, DISTANCE, CREATORS, PRIORITIES };
enum { NS_PER_TASK, CREATION, PER_ITEM, RELEASE, COMPLETION };

enum { ITEMS_OF_ALL = 4 }; /* that every runtime takes on a task */

static const char WRONG_ORDER[] = "tasks ran in a wrong order";

static const char *const clauses[] = {"none", "equal", "random", NULL}; /* as enum clauses */

static const struct parameter parameters[] = {
    [ITEMS] = {.name = "items",
               .metavar = "K",
               .summary = "depend items of a task where the pattern does not fix them: 1, 2, 4, 8, "
                          "16, 32 or 64",
               .least = 1,
               .most = ITEMS_MAX,
               .standard = 1},
    [DISTANCE] = {.name = "distance",
                  .metavar = "BYTES",
                  .summary = "distance of the addresses that items name",
                  .least = 1,
                  .most = NUMBER_MAX,
                  .standard = 64},
    [CREATORS] = {.name = "creators",
                  .metavar = "K",
                  .summary = "threads that create tasks at once, an instance of the pattern each",
                  .least = 1,
                  .most = THREADS_MAX,
                  .standard = 1},
    [PRIORITIES] = {.name = "priorities",
                    .summary = "priority clauses of tasks, where the pattern lets them be chosen",
                    .words = clauses,
                    .standard = CLAUSES_ABSENT}};

static const struct quantity quantities[] = {
    [NS_PER_TASK] = {.name = "ns_per_task",
                     .summary = "all of a task, without a gate",
                     .unit = "ns"},
    [CREATION] = {.name = "creation",
                  .summary = "creation of a task while none can run",
                  .unit = "ns",
                  .explained = true,
                  .is_term = true},
    [PER_ITEM] = {.name = "per_item",
                  .summary = "what a depend item adds to the creation of a task",
                  .unit = "ns",
                  .is_term = true},
    [RELEASE] = {.name = "release",
                 .summary = "delay from ready to start",
                 .unit = "ns",
                 .is_term = true},
    [COMPLETION] = {.name = "completion",
                    .summary = "from the end of the last task to the end of the wait",
                    .unit = "ns",
                    .is_term = true}};

static const struct column columns[] = {{COLUMN_VARIANT, 13, "pattern", 0},
                                        {COLUMN_SIZE, 7, "tasks", 0},
                                        {COLUMN_PARAMETER, 3, "it.", ITEMS},
                                        {COLUMN_PARAMETER, 7, "dist.", DISTANCE},
                                        {COLUMN_THREADS, 4, "thr.", 0},
                                        {COLUMN_QUANTITY, 7, "all", NS_PER_TASK},
                                        {COLUMN_QUANTITY, 8, "creation", CREATION},
                                        {COLUMN_QUANTITY, 7, "an item", PER_ITEM},
                                        {COLUMN_QUANTITY, 8, "release", RELEASE},
                                        {COLUMN_QUANTITY, 7, "compl.", COMPLETION},
                                        {0}};

static const char *const csv_figures[] = {"body_ns", "clock_ns", "bytes_per_task", NULL};

/* A point, and what its first repetition in the process shows of memory. */
struct overhead {
    struct bench *bench;
    struct micro_configuration configuration;
    double clock_ns, task_bytes;
    bool unweighed;  /* no tasks have been created in this process yet */
    bool priorities; /* are switched on in this process */
    const char *bytes_reason;
};

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
                                    .parameters = 1u << DISTANCE | 1u << CREATORS |
                                                  (p->chosen_items ? 1u << ITEMS : 0u) |
                                                  (p->chosen_priorities ? 1u << PRIORITIES : 0u)};
}

static struct micro_configuration configuration_of(const struct point *point)
{
    return (struct micro_configuration){.pattern = patterns[point->index],
                                        .tasks = point->size,
                                        .items = point->parameter[ITEMS],
                                        .distance = point->parameter[DISTANCE],
                                        .threads = point->threads,
                                        .creators = point->parameter[CREATORS],
                                        .priorities = (enum clauses)point->parameter[PRIORITIES]};
}

/* The numbers of items for which independent.c has a task. */
static void check_parameter(size_t parameter, size_t value)
{
    if (parameter == ITEMS && (value & (value - 1)) != 0)
        message_fatal(POLLUX_USAGE, "--items %zu: must be 1, 2, 4, 8, 16, 32 or 64", value);
}

static void check_options(const struct point *point)
{
    if (point->parameter[CREATORS] > point->threads)
        message_fatal(POLLUX_USAGE,
                      "--creators %zu needs as many threads: request them with --threads",
                      point->parameter[CREATORS]);
    if (patterns[point->index]->algorithm && point->parameter[DISTANCE] < sizeof(double))
        message_fatal(POLLUX_USAGE,
                      "--distance %zu: must be %zu at least for the graph of %s, whose items are "
                      "numbers: others would overlap",
                      point->parameter[DISTANCE], sizeof(double), point->variant->name);
}

static int priority(size_t parameter, size_t value)
{
    return parameter == PRIORITIES && value != CLAUSES_ABSENT ? TASK_PRIORITY_MAX : 0;
}

/* The graphs of factorizations have clauses of their own, which count where priorities are switched on. */
static bool priorities_differ(const struct point *point)
{
    return point->parameter[PRIORITIES] == CLAUSES_RANDOM ||
           (patterns[point->index]->algorithm && runtime_max_task_priority() > 0);
}

static unsigned needs(const struct point *point)
{
    unsigned set = 0;
    if (point->parameter[ITEMS] > ITEMS_OF_ALL)
        set |= CAPABILITY_MANY_ITEMS;
    if (point->parameter[PRIORITIES] != CLAUSES_ABSENT)
        set |= CAPABILITY_PRIORITIES;
    if (point->parameter[CREATORS] > 1 && priorities_differ(point))
        set |= CAPABILITY_TEAM_PRIORITIES;
    return set;
}

static size_t fit(const struct point *point)
{
    size_t creators = point->parameter[CREATORS];
    return saturating_multiply(creators,
                               pattern_fit(patterns[point->index], ceiling(point->size, creators)));
}

static size_t bytes(const struct point *point)
{
    const struct micro_configuration c = configuration_of(point);
    return bench_bytes(&c);
}

static void require(const struct point *point)
{
    const struct micro_configuration c = configuration_of(point);
    bench_require_addresses(&c);
}

/* A runtime may keep the memory of tasks for later ones: only the first that the process creates show it. */
static void weigh_tasks(struct overhead *overhead, struct result *result)
{
    struct repetition r = {.passed = true};
    if (!overhead->unweighed)
        return;
    overhead->task_bytes = bench_task_bytes(overhead->bench, &r, &overhead->bytes_reason);
    overhead->unweighed = false;
    if (r.passed)
        return;
    overhead->task_bytes = NAN;
    overhead->bytes_reason = WRONG_ORDER;
    result_fail(result, "%s", r.fault);
}

static void *create(const struct point *point, const struct run_context *context)
{
    const struct micro_configuration c = configuration_of(point);
    struct overhead *overhead = zeros(1, sizeof *overhead);
    const char *evidence;
    overhead->bench = bench_create(&c, context->seed);
    overhead->configuration = c;
    overhead->clock_ns = context->clock_ns;
    overhead->priorities = setup_priorities(context->setup, &evidence) != PRIORITIES_OFF;
    overhead->unweighed = context->first;
    overhead->task_bytes = NAN;
    overhead->bytes_reason = "only the first configuration of a process shows it";
    return overhead;
}

static void destroy(void *bench)
{
    struct overhead *overhead = bench;
    bench_destroy(overhead->bench);
    free(overhead);
}

/* What is behind the pattern of a factorization; null for others. */
static json_t *graph_json(const struct overhead *overhead)
{
    const struct algorithm *algorithm = overhead->configuration.pattern->algorithm;
    size_t tasks = overhead->configuration.tasks / overhead->configuration.creators;
    if (!algorithm)
        return json_null();
    return json_pack("{s:s, s:I, s:s?, s:b}", "variant", algorithm->variant, "tiles",
                     (json_int_t)algorithm_tiles(algorithm, tasks), "concurrent_write",
                     algorithm->concurrent_write, "priorities", overhead->priorities);
}

static void repeat(void *bench, struct result *result)
{
    struct overhead *overhead = bench;
    weigh_tasks(overhead, result);
    struct repetition r = bench_repeat(overhead->bench, overhead->clock_ns);
    if (!r.passed)
        result_fail(result, "%s", r.fault);
    result->value[NS_PER_TASK] = r.ungated_ns / (double)overhead->configuration.tasks;
    memcpy(result->value + CREATION, r.terms.ns, sizeof r.terms.ns);
    memcpy(result->reason + CREATION, r.terms.reason, sizeof r.terms.reason);
    json_object_set_new(result->details, "graph", graph_json(overhead));
    const char *no_gate = r.terms.reason[TERM_CREATION];
    result_set_figure(result, "whole_ns", r.ungated_ns, NULL);
    result_set_figure(result, "created_ns", r.created_ns, no_gate);
    result_set_figure(result, "emptied_ns", r.emptied_ns, no_gate);
    result_set_figure(result, "open_created_ns", r.open_created_ns, NULL);
    result_set_figure(result, "left_ns", r.left_ns, no_gate);
    result_set_figure(result, "body_ns", r.body_ns, NULL);
    result_set_figure(result, "bytes_per_task", overhead->task_bytes, overhead->bytes_reason);
}

static void remark(const struct point *point, const struct result *results, size_t count)
{
    size_t creators = point->parameter[CREATORS], priorities = point->parameter[PRIORITIES];
    (void)results;
    (void)count;
    if (priorities != CLAUSES_ABSENT)
        printf("    with %s priorities\n", clauses[priorities]);
    if (creators > 1)
        printf("    %zu creators of %zu tasks each\n", creators, point->size / creators);
}

const struct program task_overhead = {
    .name = "task-overhead",
    .summary = "what a task with dependences costs in the runtime: its creation, each item, its "
               "release, completion",
    .example = "-p chain,independent -n 1024 --items 1,16 -t 1,2 -o overheads.jsonl",
    .failure = WRONG_ORDER,
    .title = "ns per task, medians of the repetitions",
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
    .check_parameter = check_parameter,
    .check_options = check_options,
    .priority = priority,
    .needs = needs,
    .fit = fit,
    .bytes = bytes,
    .require = require,
    .create = create,
    .destroy = destroy,
    .repeat = repeat,
    .remark = remark};
