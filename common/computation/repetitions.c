/* SPDX-License-Identifier: BSD-3-Clause
 * Repetitions of one configuration: run, traced, recorded and reported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/computation/session.h"
#include "common/execution/team.h"
#include "common/output/report.h"
#include "common/output/trace_file.h"

static struct report report;

/* A configuration that is run. */
struct run {
    struct configuration c;
    const struct run_context *context;
    struct problem *problem;
    struct outcome *outcomes;
    char warm_up_fault[80]; /* empty: none */
};

void *repetitions_create(const struct point *point, const struct run_context *context)
{
    struct run *run = zeros(1, sizeof *run);
    run->c = planned_configuration(point);
    run->context = context;
    run->problem = run_create(&run->c);
    run->outcomes = zeros(context->options->repeat, sizeof *run->outcomes);
    return run;
}

void repetitions_destroy(void *bench)
{
    struct run *run = bench;
    run_destroy(&run->c, run->problem);
    free(run->outcomes);
    free(run);
}

static void warm_up(struct run *run, uint64_t seed)
{
    struct outcome outcome = run_once(&run->c, run->problem, seed, CHECK_NONE, NULL, NULL);
    if (outcome.failure != 0)
        snprintf(run->warm_up_fault, sizeof run->warm_up_fault, "broke down in column %" PRId64,
                 outcome.failure);
    else if (levels_missing(&outcome.levels))
        snprintf(run->warm_up_fault, sizeof run->warm_up_fault,
                 "had %zu of %zu threads in regions inside tasks", outcome.levels.inner_given,
                 outcome.levels.inner_requested);
}

void repetitions_repeat(void *bench, struct result *result)
{
    struct run *run = bench;
    size_t each = run->context->options->repeat;
    uint64_t seed = run->context->seed;
    if (result->warm_up) {
        warm_up(run, seed);
        return;
    }
    report_progress(&report, &run->c, run->context->number * each + result->repetition,
                    run->context->of * each);
    run->outcomes[result->repetition] = run_once(&run->c, run->problem, seed + result->repetition,
                                                 current.options.check, NULL, current.meter);
}

static json_t *record_of(const struct run *run, const struct outcome *outcome, size_t repetition,
                         bool traced)
{
    const struct processes *processes = run->c.benchmark->processes;
    json_t *record = record_create(run->context->process, &run->c, outcome, repetition, traced,
                                   run->context->bindings,
                                   variant_observed(&current.availability, run->c.variant));
    if (processes)
        json_object_set_new(record, "mpi", processes->describe(run->problem));
    return record;
}

json_t *repetitions_record(void *bench, const struct result *result)
{
    const struct run *run = bench;
    return record_of(run, &run->outcomes[result->repetition], result->repetition, false);
}

/* Of this process. */
static void say_what_tracing_costs(const struct configuration *c, size_t calls,
                                   const struct outcome *outcome, double event_cost_ns)
{
    double share = 1e-9 * event_cost_ns * (double)calls / (outcome->seconds * (double)c->threads);
    fprintf(stderr,
            "%s: trace of %s, N = %zu, NB = %zu: %zu kernel calls,"
            " %.0f ns each to record: %.2g %% of the threads' time\n",
            message_program_name(), c->variant->name, c->n, c->nb, calls, event_cost_ns,
            100.0 * share);
}

static void compare_clocks(const struct configuration *c, bool after)
{
    if (c->benchmark->processes)
        c->benchmark->processes->compare_clocks(after);
}

/* One more repetition, with the seed of the last of `measured`; with room for as many kernel calls. */
static bool trace_repetition(const struct run *run, size_t measured, size_t repetition)
{
    const struct configuration *c = &run->c;
    const struct outcome *last = &run->outcomes[measured - 1];
    struct trace *trace = trace_create(c->threads, last->tasks, current.tool);
    if (!trace)
        message_fatal(
            POLLUX_MACHINE,
            "no memory for the trace of N = %zu, NB = %zu: each of %zu threads needs address "
            "space for all %" PRIu64 " kernel calls: see ulimit -v, or choose larger tiles",
            c->n, c->nb, c->threads, last->tasks);
    if (current.options.processor_time)
        trace_processor_time(trace);
    double cost = trace_cost_ns(current.tool, current.options.processor_time);
    team_await_turn(c->threads);
    if (current.tool)
        current.tool->record(1);
    compare_clocks(c, false);
    struct outcome outcome =
        run_once(c, run->problem, last->seed, current.options.check, trace, current.meter);
    compare_clocks(c, true);
    if (current.tool)
        current.tool->record(0);
    if (current.tool && current.tool->lost() > 0)
        message_fatal(POLLUX_MACHINE, "no memory for the tasks of the trace: choose larger tiles");
    json_t *record = record_of(run, &outcome, repetition, true);
    trace_write(&current.events, trace, run->problem, current.benchmark, &outcome, record, cost);
    if (!message_is_second())
        say_what_tracing_costs(c, trace_calls(trace), &outcome, cost);
    json_decref(record);
    trace_destroy(trace);
    if (!outcome.passed && !message_is_second())
        message_error("%s, N = %zu: the traced repetition failed", c->variant->name, c->n);
    return outcome.passed;
}

static size_t traced_repetitions(void)
{
    return current.options.trace ? larger(current.options.traced, 1) : 0;
}

static void begin_report(enum format format, const struct setup *setup)
{
    report = (struct report){format,
                             current.benchmark,
                             setup,
                             current.options.kernels,
                             tiles_are_guessed(),
                             requested_parameters()};
    report_begin(&report);
}

static void report_one(void *bench, const struct result *result, const json_t *record)
{
    const struct run *run = bench;
    report_repetition(&report, &run->c, &run->outcomes[result->repetition], result->repetition,
                      record);
}

static bool report_all(void *bench, const struct result *results, size_t count)
{
    const struct run *run = bench;
    (void)results;
    bool passed = report_configuration(&report, &run->c, run->outcomes, count);
    /* Where repetitions failed too, their lines are enough. */
    if (passed && run->warm_up_fault[0]) {
        if (!message_is_second())
            message_error("%s, N = %zu: a warm-up %s", run->c.variant->name, run->c.n,
                          run->warm_up_fault);
        passed = false;
    }
    for (size_t i = 0; i < traced_repetitions(); i++)
        passed = trace_repetition(run, count, count + i) && passed;
    return passed;
}

const struct program_report repetitions_report = {begin_report, report_one, report_all};
