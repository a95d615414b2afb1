/* SPDX-License-Identifier: BSD-3-Clause
 * Read options, prepare the process, plan, measure, report. */
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/message.h"
#include "common/base/statistics.h"
#include "common/driver/files.h"
#include "common/driver/listing.h"
#include "common/driver/team_needs.h"
#include "common/execution/team.h"
#include "common/output/record_file.h"
#include "micro/program/session.h"

struct session {
    const struct micro_program *program;
    struct micro_options options;
    struct setup setup;
    struct record_context process;
    struct record_file output;
    struct micro_plan plan;
    double clock_ns;
    size_t passed;
};

/* Lets the heap keep what is freed: otherwise each pass would give the memory of its tasks back to the system and
 * take it again, which is no cost of the runtime. */
static void keep_heap(void)
{
    enum { MOST = 1 << 25 }; /* HEAP_MAX_SIZE / 2 of glibc, the most that it takes for the second */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, MOST);
}

double clock_cost_ns(void)
{
    enum { ROUNDS = 21, READINGS = 1000 };
    double rounds[ROUNDS];
    for (size_t r = 0; r < ROUNDS; r++) {
        int64_t begin = now_ns(CLOCK_MONOTONIC), end = begin;
        for (size_t i = 0; i < READINGS; i++)
            end = now_ns(CLOCK_MONOTONIC);
        rounds[r] = (double)(end - begin) / (double)READINGS;
    }
    sort_ascending(rounds, ROUNDS);
    return median_of_sorted(rounds, ROUNDS);
}

void micro_fail(struct micro_result *result, const char *format, ...)
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
static void forget_quantities(const struct micro_program *program, struct micro_result *result)
{
    for (size_t q = 0; q < program->quantity_count; q++) {
        result->value[q] = NAN;
        result->reason[q] = program->failure;
    }
}

static struct micro_result run_repetition(const struct micro_program *program, void *bench)
{
    struct micro_result result = {.passed = true,
                                  .figures = json_object(),
                                  .unknown = json_object(),
                                  .details = json_object(),
                                  .start_unix_ns = now_ns(CLOCK_REALTIME)};
    for (size_t q = 0; q < MICRO_QUANTITIES_MAX; q++)
        result.value[q] = NAN;
    program->repeat(bench, &result);
    result.end_unix_ns = now_ns(CLOCK_REALTIME);
    if (!result.passed)
        forget_quantities(program, &result);
    return result;
}

static void release(struct micro_result *result)
{
    json_decref(result->figures);
    json_decref(result->unknown);
    json_decref(result->details);
    json_decref(result->levels);
}

static void write_repetition(struct session *s, const struct micro_subject *subject,
                             const struct micro_result *result, size_t repetition)
{
    json_t *record = micro_record(subject, result, repetition);
    record_file_append(&s->output, record);
    micro_report_repetition(s->program, s->options.shared.format, record);
    json_decref(record);
}

static void run_repetitions(struct session *s, const struct micro_subject *subject, void *bench)
{
    const struct shared_options *o = &s->options.shared;
    struct micro_result *results = calloc(o->repeat, sizeof *results);
    if (!results)
        message_fatal(POLLUX_MACHINE, "no memory for %zu repetitions", o->repeat);
    for (size_t w = 0; w < o->warmup; w++) {
        struct micro_result result = run_repetition(s->program, bench);
        release(&result);
    }
    for (size_t r = 0; r < o->repeat; r++) {
        results[r] = run_repetition(s->program, bench);
        write_repetition(s, subject, &results[r], r);
    }
    s->passed += micro_report_point(subject, o->format, results, o->repeat);
    for (size_t r = 0; r < o->repeat; r++)
        release(&results[r]);
    free(results);
}

static void run_point(struct session *s, const struct micro_point *point, bool first)
{
    const struct micro_context context = {.setup = &s->setup,
                                          .seed = s->options.shared.seed,
                                          .clock_ns = s->clock_ns,
                                          .first = first};
    json_t *bindings = run_bindings(s->setup.topology, micro_point_threads(point));
    const struct micro_subject subject = {.program = s->program,
                                          .point = point,
                                          .context = &context,
                                          .process = &s->process,
                                          .bindings = bindings};
    void *bench = s->program->create(point, &context);
    run_repetitions(s, &subject, bench);
    s->program->destroy(bench);
    json_decref(bindings);
}

static size_t most_threads(const struct micro_program *program, const struct micro_plan *plan)
{
    size_t most = 1;
    for (size_t i = 0; i < plan->count; i++) {
        size_t threads = micro_all_threads(program, &plan->points[i]);
        most = threads > most ? threads : most;
    }
    return most;
}

static enum pollux_exit run_session(struct session *s)
{
    const struct record_choices choices = {.check = CHECK_NONE};
    const struct shared_options *o = &s->options.shared;
    s->plan = micro_plan_create(s->program, &s->options, &s->setup);
    s->output = record_file_open(o->output);
    if (o->threads.count == 0)
        team_explain_default();
    team_warn(&s->setup, most_threads(s->program, &s->plan));
    s->process = record_context_create(&s->setup, &choices, NULL);
    s->clock_ns = clock_cost_ns();
    keep_heap();
    micro_report_begin(s->program, o->format, &s->setup, s->clock_ns);
    for (size_t i = 0; i < s->plan.count; i++)
        run_point(s, &s->plan.points[i], i == 0);
    const size_t counts[] = {s->plan.count, s->passed, s->plan.count * o->repeat};
    micro_report_end(s->program, o->format, &s->setup, counts);
    record_file_close(&s->output);
    record_context_destroy(&s->process);
    micro_plan_destroy(&s->plan);
    return counts[1] == counts[2] ? POLLUX_OK : POLLUX_FAILED;
}

/* The highest priority of a task of all values of all parameters. */
static int highest_priority(const struct micro_program *program,
                            const struct micro_options *options)
{
    int highest = 0;
    for (size_t p = 0; p < program->parameter_count && program->priority; p++)
        for (size_t v = 0; v < options->parameters[p].count; v++) {
            int priority = program->priority(p, options->parameters[p].value[v]);
            highest = priority > highest ? priority : highest;
        }
    return highest;
}

int micro_main(const struct micro_program *program, int argc, char **argv)
{
    enum pollux_exit status = POLLUX_OK;
    message_program(argv[0]);
    struct session session = {.program = program,
                              .options = micro_options_parse(program, argc, argv)};
    const struct shared_options *o = &session.options.shared;
    const struct setup_needs needs = {.priority_max = highest_priority(program, &session.options),
                                      .no_blas = !program->blas,
                                      .nested = program->nested};
    const struct named_file output = {"--output", o->output, true};
    if (o->list) {
        micro_list(program, &session.options);
        return POLLUX_OK;
    }
    files_check(&output, 1);
    setup_create(&session.setup, &needs, argv);
    if (o->version)
        listing_version(program->name, &session.setup, NULL, NULL);
    else
        status = run_session(&session);
    setup_destroy(&session.setup);
    return (int)status;
}
