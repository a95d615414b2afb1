/* SPDX-License-Identifier: BSD-3-Clause
 * The executable messages-mpi: latency, rate and overlap of messages between two ranks whose tasks read them. */
#include <math.h>
#include <stdlib.h>

#include "benchmarks/mpi/methods.h"
#include "common/base/message.h"
#include "common/base/number_list.h"
#include "common/base/sizes.h"
#include "micro/mpi/pair.h"

enum { RANKS = 2, LEAST_BYTES = PAIR_HEADER * sizeof(uint64_t) };

enum { PAUSE, TRANSFER };
enum { LATENCY, RATE, OVERLAP };

static const struct parameter parameters[] = {
    [PAUSE] =
        {.name = "pause",
         .metavar = "US",
         .summary =
             "microseconds for which threads are idle before a message, and up to as many more",
         .least = 0,
         .most = 1000000,
         .standard = 100},
    [TRANSFER] = {.name = "transfer",
                  .metavar = "BYTES",
                  .summary = "bytes of the message that is to be hidden behind tasks",
                  .least = 4096,
                  .most = NUMBER_MAX,
                  .standard = 1 << 22}};

static const struct quantity quantities[] = {
    [LATENCY] = {.name = "latency",
                 .summary = "from the arrival of a message to the start of the task that reads it",
                 .unit = "ns"},
    [RATE] = {.name = "rate",
              .summary = "messages that are received and read, a window of 64 at a time",
              .unit = "1/s",
              .better = BETTER_MORE,
              .is_term = true},
    [OVERLAP] = {.name = "overlap",
                 .summary = "share of a transfer that is hidden behind tasks",
                 .unit = "%",
                 .better = BETTER_MORE,
                 .is_term = true}};

static const struct column columns[] = {{COLUMN_VARIANT, 9, "variant", 0},
                                        {COLUMN_SIZE, 10, "bytes", 0},
                                        {COLUMN_THREADS, 7, "threads", 0},
                                        {COLUMN_QUANTITY, 12, "latency, ns", LATENCY},
                                        {COLUMN_QUANTITY, 12, "messages/s", RATE},
                                        {COLUMN_QUANTITY, 10, "overlap, %", OVERLAP},
                                        {0}};

static const char *const csv_figures[] = {"one_way_ns", "polled_ns", "transfer_ns",
                                          "work_ns",    "both_ns",   NULL};

/* Those of the factorizations, and one without tasks. */
static const struct variant variants[] = {
    MPI_VARIANTS(NULL, INPUT_OWN),
    {.name = "threads", .summary = "each thread sends and receives for itself, without tasks"}};

enum { VARIANTS = sizeof variants / sizeof *variants, THREADS = VARIANTS - 1 };

static const struct program_options
    *given; /* by the command line, of the one program of a process */

static struct program_variant variant(size_t index)
{
    if (index == VARIANTS)
        return (struct program_variant){0};
    const struct variant *v = &variants[index];
    return (struct program_variant){.name = v->name,
                                    .summary = v->summary,
                                    .needs = v->needs,
                                    .missing = index != THREADS && !v->submit,
                                    .own_team = true,
                                    .tasks_per_update = index != THREADS,
                                    .parameters =
                                        index == THREADS ? 0 : 1u << PAUSE | 1u << TRANSFER};
}

static size_t most_threads(void)
{
    const struct number_list threads = requested_threads(&given->shared);
    size_t most = 0;
    for (size_t i = 0; i < threads.count; i++)
        most = larger(most, threads.value[i]);
    return most;
}

/* With all numbers of threads that are requested. */
static bool threads_allow(size_t index, char *reason)
{
    const struct number_list threads = requested_threads(&given->shared);
    const struct method *method = index == THREADS ? NULL : method_find(variants[index].name);
    bool can = true;
    for (size_t i = 0; method && can && i < threads.count; i++)
        can = method_can_run(method, threads.value[i], reason, REASON_SIZE);
    return can;
}

static bool available(size_t index, const struct runtime_identity *runtime, char *reason)
{
    const struct program_variant v = variant(index);
    return capabilities_allow(runtime, v.needs, !v.missing, variants[index].library, reason,
                              REASON_SIZE) &&
           (given->shared.list || threads_allow(index, reason));
}

/* Nothing moves while rank 0 pauses, which takes up to twice as long as it is told. */
static void check_patience(size_t pause_us)
{
    double longest = 2e-6 * (double)pause_us;
    if (longest >= world()->patience)
        message_fatal(POLLUX_USAGE,
                      "--pause %zu: pauses last up to %g s, and --patience %g ends the run after "
                      "less: choose a shorter pause or more patience",
                      pause_us, longest, world()->patience);
}

static void check_command_line(struct program_options *options)
{
    const struct number_list pauses = options->parameters[PAUSE];
    given = options;
    for (size_t i = 0; i < pauses.count; i++)
        check_patience(pauses.value[i]);
    for (size_t i = 0; i < options->sizes.count; i++)
        if (options->sizes.value[i] < LEAST_BYTES)
            message_fatal(POLLUX_USAGE,
                          "--bytes %zu: must be %d at least: a message begins with its number, its "
                          "time and a check",
                          options->sizes.value[i], (int)LEAST_BYTES);
}

/* The highest level that one of the variants needs which will be run. */
static int level_of(const struct setup *setup, const struct program_options *options)
{
    int level = MPI_THREAD_FUNNELED;
    char reason[REASON_SIZE];
    for (size_t i = 0; i < options->variants.count; i++) {
        size_t index = options->variants.value[i];
        if (!available(index, &setup->runtime, reason))
            continue;
        int own = index != THREADS     ? method_find(variants[index].name)->level
                  : most_threads() > 1 ? MPI_THREAD_MULTIPLE
                                       : MPI_THREAD_FUNNELED;
        level = own > level ? own : level;
    }
    return level;
}

static void begin(const struct setup *setup, struct program_options *options)
{
    ranks_begin(level_of(setup, options), world_lower_variant, options);
    if (world()->ranks != RANKS)
        world_refuse(POLLUX_USAGE, "needs 2 ranks, and %d %s started: mpirun -n 2", world()->ranks,
                     world()->ranks == 1 ? "was" : "were");
}

/* Tasks that start messages have one, as in the factorizations. */
static void setup_needs(struct setup_needs *needs)
{
    needs->priority_max = PRIORITY_MAX;
}

static struct pair_shape shape_of(const struct point *point)
{
    return (struct pair_shape){
        .method = point->index == THREADS ? NULL : method_find(variants[point->index].name),
        .threads = point->threads,
        .bytes = point->size,
        .transfer = point->parameter[TRANSFER],
        .pause_ns = 1000 * (int64_t)point->parameter[PAUSE]};
}

static size_t bytes(const struct point *point)
{
    const struct pair_shape shape = shape_of(point);
    return saturating_multiply(pair_bytes(&shape), larger((size_t)world()->here, 1));
}

static void *create(const struct point *point, const struct run_context *context)
{
    const struct pair_shape shape = shape_of(point);
    (void)context;
    return pair_create(&shape);
}

static void destroy(void *bench)
{
    pair_destroy(bench);
}

/* Two machines have two clocks, whose offset is unknown. */
static void set_one_way(struct result *result, const char *name, double ns)
{
    result_set_figure(result, name, world()->hosts == 1 ? ns : NAN,
                      "the ranks are on two machines with clocks of their own");
}

static void repeat(void *bench, struct result *result)
{
    struct pair *pair = bench;
    struct pair_times times = pair_measure(pair, result);
    result->value[LATENCY] = times.latency;
    result->value[RATE] = times.rate;
    result->value[OVERLAP] = times.overlap;
    if (!pair->shape.method)
        result->reason[LATENCY] = result->reason[OVERLAP] = "no task reads the messages";
    if (pair->shape.method) {
        set_one_way(result, "one_way_ns", times.one_way);
        set_one_way(result, "polled_ns", times.polled);
        result_set_figure(result, "transfer_ns", times.transfer, NULL);
        result_set_figure(result, "work_ns", times.work, NULL);
        result_set_figure(result, "both_ns", times.both, NULL);
    }
    ranks_conclude(result, pair->sent);
}

static const struct program program = {
    .name = "messages-mpi",
    .summary = "how messages between two ranks of MPI and tasks that read them go together: "
               "latency, rate, overlap",
    .example = "-t 1,2 -v detach,funneled --bytes 64,65536 (by mpirun -n 2)",
    .failure = "messages or tasks went wrong",
    .title = "medians of the repetitions",
    .variant_option = "variant",
    .variant_key = 'v',
    .variant_summary = "how MPI is called, or all; see --list (all)",
    .variant = variant,
    .size = {.option = "bytes",
             .key = 'n',
             .metavar = "B[,B...]",
             .summary = "bytes of a message: a list, or START:STOP:STEP",
             .standard = 64},
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .quantities = quantities,
    .quantity_count = sizeof quantities / sizeof *quantities,
    .columns = columns,
    .csv_figures = csv_figures,
    .options = world_options + WORLD_PATIENCE,
    .take_option = world_take_option,
    .check_command_line = check_command_line,
    .available = available,
    .bytes = bytes,
    .setup_needs = setup_needs,
    .begin = begin,
    .end = world_end,
    .create = create,
    .destroy = destroy,
    .repeat = repeat};

int main(int argc, char **argv)
{
    world_before();
    return program_main(&program, argc, argv);
}
