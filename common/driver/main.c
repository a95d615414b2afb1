/* SPDX-License-Identifier: BSD-3-Clause
 * Read options, prepare the process, plan, measure, report. */
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/statistics.h"
#include "common/base/turns.h"
#include "common/driver/files.h"
#include "common/driver/session.h"
#include "common/execution/team.h"
#include "common/output/record_file.h"
#include "common/process/team_needs.h"

struct session {
    const struct program *program;
    struct program_options options;
    struct setup setup;
    struct record_context process;
    struct record_file output;
    struct plan plan;
    double clock_ns;
    size_t passed;
    bool warm_up_failed;
};

/* Lets the heap keep what is freed: otherwise each pass would give the memory of its tasks back to the system and
 * take it again, which is no cost of the runtime. */
static void keep_heap(void)
{
    enum { MOST = 1 << 25 }; /* HEAP_MAX_SIZE / 2 of glibc, the most that it takes for the second */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, MOST);
}

/* What one reading of the clock costs. */
static double clock_cost_ns(void)
{
    enum { ROUNDS = 21, READINGS = 1000 };
    double rounds[ROUNDS];
    for (size_t r = 0; r < ROUNDS; r++) {
        int64_t begin = now_ns(CLOCK_MONOTONIC), end = begin;
        for (size_t i = 0; i < READINGS; i++)
            end = now_ns(CLOCK_MONOTONIC);
        rounds[r] = (double)(end - begin) / (double)READINGS;
    }
    return median(rounds, ROUNDS);
}

void result_fail(struct result *result, const char *format, ...)
{
    va_list arguments;
    if (!result->passed)
        return;
    result->passed = false;
    va_start(arguments, format);
    vsnprintf(result->fault, sizeof result->fault, format, arguments);
    va_end(arguments);
}

/* What is wrong has no time. */
static void forget_quantities(const struct program *program, struct result *result)
{
    for (size_t q = 0; q < program->quantity_count; q++) {
        result->value[q] = NAN;
        result->reason[q] = program->failure;
    }
}

/* What was counted stays. */
static void forget_figures(const struct program *program, struct result *result)
{
    const char *name;
    json_t *figure;
    void *next;
    json_object_foreach_safe(result->figures, next, name, figure)
    {
        if (!json_is_integer(figure))
            result_set_figure(result, name, NAN, program->failure);
    }
}

void program_be_silent(struct program_options *options)
{
    options->shared.format = FORMAT_NONE;
    options->shared.output = NULL;
    message_be_second(1);
}

static struct result run_repetition(const struct program *program, void *bench, size_t repetition,
                                    bool warm_up)
{
    struct result result = {.repetition = repetition,
                            .warm_up = warm_up,
                            .passed = true,
                            .figures = json_object(),
                            .unknown = json_object(),
                            .details = json_object(),
                            .period = period_begin()};
    for (size_t q = 0; q < QUANTITIES_MAX; q++)
        result.value[q] = NAN;
    program->repeat(bench, &result);
    period_end(&result.period);
    turn_end();
    if (!result.passed) {
        forget_quantities(program, &result);
        forget_figures(program, &result);
    }
    return result;
}

static void release(struct result *result)
{
    json_decref(result->figures);
    json_decref(result->unknown);
    json_decref(result->details);
    json_decref(result->levels);
    json_decref(result->mpi);
}

static void write_repetition(struct session *s, const struct subject *subject,
                             const struct result *result)
{
    const struct program *program = s->program;
    json_t *record =
        program->record ? program->record(subject->bench, result) : program_record(subject, result);
    record_file_append(&s->output, record);
    if (program->report)
        program->report->repetition(subject->bench, result, record);
    else
        columns_repetition(program, s->options.shared.format, record);
    json_decref(record);
}

/* @return how many repetitions passed; one less where all did, but not what belongs to the whole point */
static size_t report_point(struct session *s, const struct subject *subject,
                           const struct result *results)
{
    const struct shared_options *o = &s->options.shared;
    if (!s->program->report)
        return columns_point(subject, o->format, results, o->repeat);
    return o->repeat - !s->program->report->point(subject->bench, results, o->repeat);
}

/* What goes wrong is a fault of the runtime here as well, though nothing else is kept. */
static void warm_up(struct session *s, const struct subject *subject, size_t number)
{
    struct result result = run_repetition(s->program, subject->bench, number, true);
    if (!result.passed && !message_is_second())
        message_error("%s, warm-up repetition %zu: %s", subject->point->variant->name, number,
                      result.fault);
    s->warm_up_failed = s->warm_up_failed || !result.passed;
    release(&result);
}

static void run_repetitions(struct session *s, const struct subject *subject)
{
    const struct shared_options *o = &s->options.shared;
    struct result *results = zeros_for(o->repeat, sizeof *results, "%zu repetitions", o->repeat);
    for (size_t w = 0; w < o->warmup; w++)
        warm_up(s, subject, w);
    for (size_t r = 0; r < o->repeat; r++) {
        team_await_turn(point_threads(subject->point));
        results[r] = run_repetition(s->program, subject->bench, r, false);
        write_repetition(s, subject, &results[r]);
    }
    s->passed += report_point(s, subject, results);
    for (size_t r = 0; r < o->repeat; r++)
        release(&results[r]);
    free(results);
}

static void run_point(struct session *s, size_t number)
{
    const struct point *point = &s->plan.points[number];
    json_t *bindings = run_bindings(s->setup.topology, point_threads(point));
    const struct run_context context = {.setup = &s->setup,
                                        .options = &s->options.shared,
                                        .process = &s->process,
                                        .bindings = bindings,
                                        .seed = s->options.shared.seed,
                                        .clock_ns = s->clock_ns,
                                        .number = number,
                                        .of = s->plan.count,
                                        .first = number == 0};
    struct subject subject = {.program = s->program, .point = point, .context = &context};
    subject.bench = s->program->create(point, &context);
    run_repetitions(s, &subject);
    s->program->destroy(subject.bench);
    json_decref(bindings);
}

static void begin_report(struct session *s)
{
    if (s->program->report) {
        s->program->report->begin(s->options.shared.format, &s->setup);
        return;
    }
    s->clock_ns = clock_cost_ns();
    keep_heap();
    columns_begin(s->program, s->options.shared.format, &s->setup, s->clock_ns);
}

static bool run_points(struct session *s)
{
    const struct program *program = s->program;
    const struct shared_options *o = &s->options.shared;
    struct record_choices choices = {.check = CHECK_NONE};
    size_t threads = plan_check(program, &s->plan, &s->setup);
    s->output = record_file_open(o->output);
    if (o->threads.count == 0)
        team_explain_default();
    team_warn(&s->setup, threads);
    const struct energy_meter *meter = program->before ? program->before(&s->plan, &choices) : NULL;
    s->process = record_context_create(&s->setup, &choices, meter);
    begin_report(s);
    for (size_t i = 0; i < s->plan.count; i++)
        run_point(s, i);
    const size_t counts[] = {s->plan.count, s->passed, s->plan.count * o->repeat};
    const bool passed = counts[1] == counts[2] && !s->warm_up_failed;
    if (!program->report)
        columns_end(program, o->format, &s->setup, counts, passed);
    record_file_close(&s->output);
    record_context_destroy(&s->process);
    return passed;
}

static enum pollux_exit run_session(struct session *s)
{
    const struct program *program = s->program;
    bool passed = true;
    if (program->begin)
        program->begin(&s->setup, &s->options);
    s->plan = plan_create(program, &s->options, &s->setup);
    if (!program->instead || !program->instead(&s->plan, &s->setup))
        passed = run_points(s);
    if (program->end)
        program->end();
    plan_destroy(&s->plan);
    return passed ? POLLUX_OK : POLLUX_FAILED;
}

/* The highest priority of a task of all values of all parameters. */
static int highest_priority(const struct program *program, const struct program_options *options)
{
    int highest = 0;
    for (size_t p = 0; p < program->parameter_count; p++) {
        int priority = parameter_priority(program, options, p);
        highest = priority > highest ? priority : highest;
    }
    return highest;
}

static void prepare(struct session *s, char **argv)
{
    const struct program *program = s->program;
    const struct named_file output = {"--output", s->options.shared.output, true};
    struct setup_needs needs = {.priority_max = highest_priority(program, &s->options),
                                .no_blas = !program->blas,
                                .nested = program->nested};
    if (program->setup_needs)
        program->setup_needs(&needs);
    if (program->check_files)
        program->check_files(&s->options.shared);
    else
        files_check(&output, 1);
    setup_create(&s->setup, &needs, argv);
}

int program_main(const struct program *program, int argc, char **argv)
{
    enum pollux_exit status = POLLUX_OK;
    message_program(argv[0]);
    struct session session = {.program = program};
    program_options_parse(program, argc, argv, &session.options);
    const struct shared_options *o = &session.options.shared;
    if ((o->list || o->version) && message_is_second())
        return POLLUX_OK;
    if (o->list) {
        program_list(program, &session.options);
        return POLLUX_OK;
    }
    prepare(&session, argv);
    if (program->probe && program->probe(&session.setup))
        status = POLLUX_OK;
    else if (o->version)
        program_version(program, &session.setup);
    else
        status = run_session(&session);
    setup_destroy(&session.setup);
    return (int)status;
}
