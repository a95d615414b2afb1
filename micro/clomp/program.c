/* SPDX-License-Identifier: BSD-3-Clause
 * CLOMP as the driver sees it. */
#include "micro/clomp/program.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/base/sizes.h"
#include "common/execution/task_memory.h"
#include "micro/clomp/checks.h"
#include "micro/clomp/measure.h"

enum { ZONES, ZONE_SIZE, FLOP_SCALE, ALLOCATION, RESIDUES, CYCLES, PARAMETERS };
enum { SERIALLY, THREADED };
enum { ALL, FIRST };

/* With more, what is left at the end of a list is so small that processors slow down. */
enum { FLOP_SCALE_MAX = 256 };

static const char *const allocations[] = {[SERIALLY] = "serial", [THREADED] = "threaded", NULL};
static const char *const residues[] = {[ALL] = "all", [FIRST] = "first", NULL};

static const struct parameter parameters[PARAMETERS] = {
    [ZONES] = {.name = "zones",
               .metavar = "Z",
               .summary = "zones of a partition",
               .least = ZONES_MIN,
               .most = NUMBER_MAX,
               .standard = 100},
    [ZONE_SIZE] = {.name = "zone-size",
                   .metavar = "BYTES",
                   .summary = "bytes of a zone, a multiple of 8; the first 32 are used",
                   .least = ZONE_BYTES_MIN,
                   .most = NUMBER_MAX,
                   .standard = ZONE_BYTES_MIN},
    [FLOP_SCALE] = {.name = "flop-scale",
                    .metavar = "F",
                    .summary = "deposits in a zone, one after the other",
                    .least = 1,
                    .most = FLOP_SCALE_MAX,
                    .standard = 1},
    [ALLOCATION] = {.name = "allocation",
                    .summary = "who writes a partition first: one thread, or each its own",
                    .words = allocations,
                    .standard = SERIALLY},
    [RESIDUES] = {.name = "residues",
                  .summary =
                      "what the deposit is calculated from: the residues of all partitions, or "
                      "the first one's",
                  .words = residues,
                  .standard = ALL},
    [CYCLES] = {.name = "cycles",
                .metavar = "C",
                .summary = "timed cycles of ten loops; 0: as many as deposit ten million times in "
                           "zones, and 100 at least of barriers alone",
                .most = 1000000}};

static const struct quantity quantities[] = {
    [CLOMP_OVERHEAD] = {.name = "overhead_ns",
                        .summary = "of a loop, over the best case",
                        .unit = "ns"},
    [CLOMP_LOOP] = {.name = "loop", .summary = "a loop with its deposit", .unit = "ns"},
    [CLOMP_BEST_CASE] = {.name = "best_case",
                         .summary = "a loop that waits for nothing, and a deposit",
                         .unit = "ns"},
    [CLOMP_SERIAL] = {.name = "serial", .summary = "a loop on one thread", .unit = "ns"},
    [CLOMP_DEPOSIT] = {.name = "deposit", .summary = "a deposit on one thread", .unit = "ns"},
    [CLOMP_BARRIER] = {.name = "barrier", .summary = "a barrier of the team", .unit = "ns"}};

enum { LOOP_US, SPEED_UP, EFFICACY, OVERHEAD_US };

static double derive(size_t index, const struct result *results, size_t count)
{
    const double NS_IN_US = 1e3, PERCENT = 100.0;
    double loop = result_median(results, count, CLOMP_LOOP);
    switch (index) {
    case LOOP_US:
        return loop / NS_IN_US;
    case SPEED_UP:
        return result_median(results, count, CLOMP_SERIAL) / loop;
    case EFFICACY:
        return PERCENT * result_median(results, count, CLOMP_BEST_CASE) / loop;
    default:
        return result_median(results, count, CLOMP_OVERHEAD) / NS_IN_US;
    }
}

static const struct column columns[] = {{COLUMN_VARIANT, 9, "schedule", 0},
                                        {COLUMN_SIZE, 6, "part.", 0},
                                        {COLUMN_PARAMETER, 7, "zones", ZONES},
                                        {COLUMN_PARAMETER, 8, "alloc.", ALLOCATION},
                                        {COLUMN_THREADS, 4, "thr.", 0},
                                        {COLUMN_DERIVED, 9, "us/loop", LOOP_US},
                                        {COLUMN_DERIVED, 8, "speed-up", SPEED_UP},
                                        {COLUMN_DERIVED, 8, "effic. %", EFFICACY},
                                        {COLUMN_DERIVED, 9, "overhead", OVERHEAD_US},
                                        {0}};

static void check_parameter(size_t parameter, size_t value)
{
    if (parameter == ZONE_SIZE && value % sizeof(double) != 0)
        message_fatal(POLLUX_USAGE, "--zone-size %zu: must be a multiple of %zu", value,
                      sizeof(double));
}

static struct program_variant variant(size_t index)
{
    const struct clomp_schedule *schedule = clomp_schedules[index];
    if (!schedule)
        return (struct program_variant){0};
    return (struct program_variant){.name = schedule->name,
                                    .summary = schedule->summary,
                                    .needs = schedule->needs,
                                    .missing = !schedule->run,
                                    .tasks_per_update = 1,
                                    .parameters = (1u << PARAMETERS) - 1};
}

static struct mesh_shape shape_of(const struct point *point)
{
    return (struct mesh_shape){.partitions = point->size,
                               .zones = point->parameter[ZONES],
                               .zone_bytes = point->parameter[ZONE_SIZE],
                               .flop_scale = point->parameter[FLOP_SCALE],
                               .threaded = point->parameter[ALLOCATION] == THREADED,
                               .first_residue = point->parameter[RESIDUES] == FIRST};
}

static size_t bytes(const struct point *point)
{
    enum { ITEMS = 2 }; /* of a task with dependences */
    struct mesh_shape shape = shape_of(point);
    size_t tasks = clomp_schedules[point->index]->waiting * (TASK_BYTES + ITEMS * ITEM_BYTES);
    return saturating_add(
        mesh_bytes(&shape),
        saturating_multiply(shape.partitions, 2 * sizeof(struct deposit_outcome) + tasks));
}

/* A point, and which repetition is next. */
struct bench {
    struct clomp_configuration configuration;
    bool bound_first;
};

void clomp_send_at_deposits(void *bench, void (*message)(size_t number))
{
    struct bench *own = bench;
    own->configuration.message = message;
}

static void *create(const struct point *point, const struct run_context *context)
{
    struct bench *bench = zeros(1, sizeof *bench);
    (void)context;
    bench->configuration = (struct clomp_configuration){.schedule = clomp_schedules[point->index],
                                                        .shape = shape_of(point),
                                                        .threads = point->threads};
    bench->configuration.cycles = point->parameter[CYCLES];
    if (bench->configuration.cycles == 0)
        bench->configuration.cycles =
            clomp_default_cycles(bench->configuration.schedule, &bench->configuration.shape);
    return bench;
}

/* The bound and the schedule take turns in being first: what drifts in a process is on neither's side. */
static void repeat(void *argument, struct result *result)
{
    struct bench *bench = argument;
    clomp_repeat(&bench->configuration, bench->bound_first, result);
    bench->bound_first = !bench->bound_first;
    json_object_set_new(result->figures, "loops",
                        json_integer((json_int_t)bench->configuration.cycles * LOOPS_IN_CYCLE));
}

const struct program clomp_program = {
    .name = "clomp",
    .summary = "what OpenMP's schedules leave of the speed-up of an application's loops",
    .example = "-c static,task,depend -n 64 --zones 100,1000 -t 1,2 -o clomp.jsonl",
    .failure = "loops did not compute what the serial ones compute",
    .title = "us per loop, medians of the repetitions",
    .variant_option = "schedule",
    .variant_key = 'c',
    .variant_summary = "how the loops are run, or all; see --list (all)",
    .variant = variant,
    .size = {.option = "partitions",
             .key = 'n',
             .metavar = "P[,P...]",
             .summary = "iterations of a loop: a list, or START:STOP:STEP",
             .standard = 64},
    .parameters = parameters,
    .parameter_count = PARAMETERS,
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .columns = columns,
    .derive = derive,
    .check_parameter = check_parameter,
    .bytes = bytes,
    .create = create,
    .destroy = free,
    .repeat = repeat};
