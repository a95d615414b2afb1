/* SPDX-License-Identifier: BSD-3-Clause
 * The program of the base, with parameters more and some of its functions wrapped. MPI is initialised before the first
 * point and finalised after the last, and does nothing in between, or sends one number around a ring: CLOMPI-No_Comm and
 * CLOMPI-SendRecv of Bronevetsky, Gyllenhaal, de Supinski, International Journal of Parallel Programming 37(3), 2009. */
#include "micro/mpi/presence.h"

#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/base/message.h"
#include "micro/mpi/ranks.h"

enum level { ABSENT, SINGLE, FUNNELED, SERIALIZED, MULTIPLE };
enum { SILENT, RING };
enum { TEXT_SIZE = 160 };

static const char *const levels[] = {[ABSENT] = "absent",     [SINGLE] = "single",
                                     [FUNNELED] = "funneled", [SERIALIZED] = "serialized",
                                     [MULTIPLE] = "multiple", NULL};
static const char *const messages[] = {[SILENT] = "silent", [RING] = "ring", NULL};

static const struct parameter level_parameter = {
    .name = "level",
    .summary = "thread level of MPI, or absent: MPI is linked and not initialised",
    .words = levels,
    .standard = SERIALIZED};

static const struct parameter message_parameter = {
    .name = "message",
    .summary = "what ranks send at each deposit: nothing, or a number around a ring",
    .words = messages,
    .standard = SILENT};

/* The one program of a process. */
static struct {
    const struct presence *about;
    struct program program;
    struct parameter parameters[PROGRAM_PARAMETERS_MAX];
    char title[TEXT_SIZE];
    enum level level;
    atomic_size_t sent, wrong; /* messages of a repetition */
} present;

static size_t level_index(void)
{
    return present.about->base->parameter_count;
}

static size_t message_index(void)
{
    return level_index() + 1;
}

static struct program_variant variant(size_t index)
{
    struct program_variant v = present.about->base->variant(index);
    if (v.name)
        v.parameters |= 1u << level_index() | (present.about->send ? 1u << message_index() : 0u);
    return v;
}

static bool asks_for_ring(const struct program_options *options)
{
    const struct number_list *asked = &options->parameters[message_index()];
    for (size_t i = 0; present.about->send && i < asked->count; i++)
        if (asked->value[i] == RING)
            return true;
    return false;
}

static void check_command_line(struct program_options *options)
{
    const struct number_list *asked = &options->parameters[level_index()];
    if (asked->count > 1)
        message_fatal(POLLUX_USAGE,
                      "--level: MPI is initialised once in a process: give one level");
    present.level = (enum level)asked->value[0];
    if (asks_for_ring(options) && present.level < SERIALIZED)
        message_fatal(POLLUX_USAGE,
                      "--message ring needs --level serialized or multiple, and has %s: any "
                      "thread may calculate a deposit",
                      levels[present.level]);
    if (present.about->base->check_command_line)
        present.about->base->check_command_line(options);
}

static void check_parameter(size_t parameter, size_t value)
{
    const struct program *base = present.about->base;
    if (parameter < base->parameter_count && base->check_parameter)
        base->check_parameter(parameter, value);
}

static int priority(size_t parameter, size_t value)
{
    const struct program *base = present.about->base;
    return parameter < base->parameter_count && base->priority ? base->priority(parameter, value)
                                                               : 0;
}

static void begin_mpi(struct program_options *options)
{
    static const int asked[] = {[SINGLE] = MPI_THREAD_SINGLE,
                                [FUNNELED] = MPI_THREAD_FUNNELED,
                                [SERIALIZED] = MPI_THREAD_SERIALIZED,
                                [MULTIPLE] = MPI_THREAD_MULTIPLE};
    ranks_begin(asked[present.level], "choose a lower --level", options);
}

/* The heading says what the table's columns do not. */
static void complete_title(void)
{
    int ranks = present.level == ABSENT ? 1 : world()->ranks;
    snprintf(present.title, sizeof present.title, "%s; MPI %s, %d rank%s",
             present.about->base->title, levels[present.level], ranks, plural((size_t)ranks));
    present.program.title = present.title;
}

/* Without MPI each process is alone, whatever has started it: the first one reports. */
static void begin(const struct setup *setup, struct program_options *options)
{
    if (present.level != ABSENT)
        begin_mpi(options);
    else if (world_has_others_before())
        program_be_silent(options);
    complete_title();
    if (present.about->base->begin)
        present.about->base->begin(setup, options);
}

static void end(void)
{
    if (present.about->base->end)
        present.about->base->end();
    if (present.level != ABSENT)
        world_end();
}

/* What rank `rank` sends at a deposit; both are small enough to be exact. */
static double number_of(size_t number, int rank)
{
    return (double)number * world()->ranks + rank;
}

static void send_around(size_t number)
{
    int rank = world()->rank, ranks = world()->ranks;
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    double own = number_of(number, rank), got = NAN;
    MPI_Sendrecv(&own, 1, MPI_DOUBLE, right, 0, &got, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    atomic_fetch_add_explicit(&present.sent, 1, memory_order_relaxed);
    if (got != number_of(number, left))
        atomic_fetch_add_explicit(&present.wrong, 1, memory_order_relaxed);
}

static void *create(const struct point *point, const struct run_context *context)
{
    void *bench = present.about->base->create(point, context);
    if (present.about->send && point->parameter[message_index()] == RING)
        present.about->send(bench, send_around);
    return bench;
}

/* The record has what rank 0 measured: how far the headline of the others is from it. */
static void add_spread(struct result *result)
{
    double own[2] = {-INFINITY, -INFINITY}, all[2];
    if (!isnan(result->value[0])) {
        own[0] = -result->value[0];
        own[1] = result->value[0];
    }
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    result_set_figure(result, "least_of_ranks", -all[0], result->reason[0]);
    result_set_figure(result, "most_of_ranks", all[1], result->reason[0]);
}

static void repeat(void *bench, struct result *result)
{
    if (present.level == ABSENT) {
        present.about->base->repeat(bench, result);
        return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    present.about->base->repeat(bench, result);
    size_t sent = atomic_exchange(&present.sent, 0), wrong = atomic_exchange(&present.wrong, 0);
    if (wrong > 0)
        result_fail(result, "%zu of %zu messages held another number", wrong, sent);
    add_spread(result);
    ranks_conclude(result, (struct sent){sent, sent * sizeof(double)});
}

/* What tells its row from that without messages. */
static void remark(const struct point *point, const struct result *results, size_t count)
{
    if (present.about->send && point->parameter[message_index()] == RING)
        printf("    with a message around the ring at each deposit\n");
    if (present.about->base->remark)
        present.about->base->remark(point, results, count);
}

static void add_parameters(const struct presence *about)
{
    const struct program *base = about->base;
    memcpy(present.parameters, base->parameters, base->parameter_count * sizeof *base->parameters);
    present.parameters[base->parameter_count] = level_parameter;
    present.program.parameter_count = base->parameter_count + 1;
    if (about->send) {
        present.parameters[base->parameter_count + 1] = message_parameter;
        present.program.parameter_count++;
    }
    present.program.parameters = present.parameters;
}

int presence_main(const struct presence *about, int argc, char **argv)
{
    world_before();
    present.about = about;
    present.program = *about->base;
    present.program.name = about->name;
    present.program.summary = about->summary;
    present.program.example = about->example;
    present.program.variant = variant;
    present.program.check_command_line = check_command_line;
    present.program.check_parameter = check_parameter;
    present.program.priority = priority;
    present.program.begin = begin;
    present.program.end = end;
    present.program.create = create;
    present.program.repeat = repeat;
    present.program.remark = remark;
    add_parameters(about);
    return program_main(&present.program, argc, argv);
}
