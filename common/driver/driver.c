/* SPDX-License-Identifier: BSD-3-Clause
 * Read options, prepare the process, plan, run, report. */
#include "common/driver/driver.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/driver/availability.h"
#include "common/driver/benchmark_options.h"
#include "common/driver/files.h"
#include "common/driver/listing.h"
#include "common/driver/options.h"
#include "common/driver/plan.h"
#include "common/driver/team_needs.h"
#include "common/execution/task_tool.h"
#include "common/execution/team.h"
#include "common/identity/capabilities.h"
#include "common/machine/host.h"
#include "common/output/event_file.h"
#include "common/output/graph_file.h"
#include "common/output/record.h"
#include "common/output/record_file.h"
#include "common/output/report.h"
#include "common/output/trace_file.h"
#include "common/process/blas_selftest.h"
#include "common/process/runtime_routines.h"
#include "common/process/setup.h"

/* Data that the runs of a process share. */
struct session {
    const struct benchmark *benchmark;
    const struct options *options;
    struct setup setup;
    struct dense_matrix file;
    struct plan plan;
    struct report report;
    struct energy_meter *meter;
    struct record_context context;
    struct record_file output;
    struct event_file events; /**< of --trace or --graph */
    const struct ompt_tool *tool;
    struct availability availability;
};

/* Whether the user's settings allow the parallel regions of a nested variant. */
static bool levels_allowed(const struct variant *variant, char *reason, size_t size)
{
    if (!variant->nested || runtime_active_levels() >= 2)
        return true;
    const char *name = getenv("OMP_MAX_ACTIVE_LEVELS") ? "OMP_MAX_ACTIVE_LEVELS" : "OMP_NESTED";
    const char *value = getenv(name);
    snprintf(reason, size,
             "%s%s%s allows no parallel region inside another: unset it, or set "
             "OMP_MAX_ACTIVE_LEVELS to 2 or more",
             value ? name : "the runtime", value ? "=" : "", quoted(value ? value : "").text);
    return false;
}

/* Whether a variant has what --graph describes. */
static bool has_graph(const struct options *o, const struct variant *variant, char *reason,
                      size_t size)
{
    if (!o->graph || !variant->own_team)
        return true;
    snprintf(reason, size, "it consists of parallel loops and has no task graph");
    return false;
}

/* Reports why a variant cannot run here; ends the program unless it was only part of `all`. */
static bool is_runnable(struct session *s, const struct variant *variant)
{
    char reason[REASON_SIZE];
    if (variant_available(&s->availability, variant, reason) &&
        levels_allowed(variant, reason, sizeof reason) &&
        has_graph(s->options, variant, reason, sizeof reason))
        return true;
    if (!s->options->all_variants)
        message_fatal(POLLUX_MACHINE, "variant %s: not run, %s", variant->name, reason);
    message_warning("variant %s: not run, %s", variant->name, reason);
    return false;
}

/* Those of the requested variants that build and runtime can run. */
static size_t runnable_variants(struct session *s, const struct variant **runnable)
{
    const struct options *o = s->options;
    size_t count = 0;
    for (size_t v = 0; v < o->variant_count; v++)
        if (is_runnable(s, o->variants[v]))
            runnable[count++] = o->variants[v];
    if (count == 0)
        message_fatal(POLLUX_MACHINE, "none of the variants can run here");
    return count;
}

static void make_plan(struct session *s)
{
    const struct variant *variants[LIST_MAX];
    size_t count = runnable_variants(s, variants);
    const struct planning planning = {.benchmark = s->benchmark,
                                      .options = s->options,
                                      .topology = s->setup.topology,
                                      .file = s->options->matrix_path ? &s->file : NULL};
    s->plan = plan_create(&planning, variants, count);
}

/* Refuses configurations that would not fit into memory, before anything runs. */
static void check_memory(const struct session *s)
{
    const double GIB = 0x1p30;
    size_t available = host_available_bytes();
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct configuration *c = &s->plan.items[i];
        size_t bytes = configuration_bytes(c, s->options->check);
        if (bytes > available)
            message_fatal(
                POLLUX_MACHINE,
                "M = %zu, N = %zu, tiles of %zu x %zu, %zu threads needs %.3g GiB of memory, "
                "and %.3g GiB are free: choose smaller sizes",
                c->m, c->n, c->mb, c->nb, c->threads, (double)bytes / GIB, (double)available / GIB);
    }
}

static size_t most_threads(const struct plan *plan)
{
    size_t most = 1;
    for (size_t i = 0; i < plan->count; i++)
        most = larger(most, configuration_all_threads(&plan->items[i]));
    return most;
}

/* Refuses a team that the system's limits do not allow. */
static void check_team(const struct session *s)
{
    size_t bytes = 0;
    for (size_t i = 0; i < s->plan.count; i++)
        bytes = larger(bytes, configuration_bytes(&s->plan.items[i], s->options->check));
    team_require(&s->setup, most_threads(&s->plan), bytes);
}

/* Refuses nested teams that would be smaller than requested. */
static void check_levels(const struct session *s)
{
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct configuration *c = &s->plan.items[i];
        size_t threads = configuration_all_threads(c);
        if (c->variant->nested && threads > (size_t)runtime_thread_limit())
            message_fatal(POLLUX_MACHINE,
                          "variant %s: %zu x %zu threads are more than the runtime's limit of %d: "
                          "raise OMP_THREAD_LIMIT, or request fewer",
                          c->variant->name, c->threads, configuration_inner_team(c),
                          runtime_thread_limit());
    }
}

static void read_matrix(struct session *s)
{
    const char *path = s->options->matrix_path;
    if (!path)
        return;
    s->file = matrix_market_read(path);
    if (!s->benchmark->rectangular && s->file.m != s->file.n)
        message_fatal(POLLUX_USAGE, "%s is %zu x %zu: %s needs a square matrix", path, s->file.m,
                      s->file.n, s->benchmark->name);
    if (s->benchmark->symmetric && !dense_matrix_is_symmetric(&s->file))
        message_fatal(POLLUX_USAGE, "%s is not symmetric: %s needs a symmetric matrix", path,
                      s->benchmark->name);
}

/* One self-test for each tile size and thread count in the plan. */
static void run_selftests(const struct plan *plan)
{
    size_t last_nb = 0, last_threads = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct configuration *c = &plan->items[i];
        if (!kernel_set_calls_blas(c->kernels))
            continue;
        size_t longer = c->m > c->n ? c->m : c->n;
        size_t nb = c->nb < longer ? c->nb : longer;
        size_t threads = c->threads * configuration_inner_team(c);
        if (nb != last_nb || threads > last_threads)
            blas_require_selftest(nb, threads);
        last_nb = nb;
        last_threads = threads;
    }
}

/* What the requested variants do in another way than their names say. */
static void give_notice(const struct session *s)
{
    const char *last = NULL;
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct concurrent_write *write = s->plan.items[i].variant->concurrent_write;
        if (!write || !write->notice || write->notice == last)
            continue;
        last = write->notice;
        message_warning("%s", last);
    }
}

static void say_what_tracing_costs(const struct configuration *c, const struct outcome *outcome,
                                   double event_cost_ns)
{
    double threads = c->variant->sequential ? 1.0 : (double)c->threads;
    double share = 1e-9 * event_cost_ns * (double)outcome->tasks / (outcome->seconds * threads);
    fprintf(stderr,
            "%s: trace of %s, N = %zu, NB = %zu: %" PRIu64
            " kernel calls, %.0f ns each to record: %.2g %% of the threads' time\n",
            message_program_name(), c->variant->name, c->n, c->nb, outcome->tasks, event_cost_ns,
            100.0 * share);
}

/* One more repetition, with the seed of the last; with room for as many kernel calls. */
static bool trace_repetition(struct session *s, const struct configuration *c,
                             struct problem *problem, const struct outcome *last, json_t *bindings)
{
    struct trace *trace = trace_create(c->threads, last->tasks, s->tool);
    if (!trace)
        message_fatal(POLLUX_MACHINE, "no memory for the trace of N = %zu, NB = %zu", c->n, c->nb);
    if (s->options->processor_time)
        trace_processor_time(trace);
    double cost = trace_cost_ns(s->tool, s->options->processor_time);
    if (s->tool)
        s->tool->record(1);
    struct outcome outcome = run_once(c, problem, last->seed, s->options->check, trace, s->meter);
    if (s->tool)
        s->tool->record(0);
    if (s->tool && s->tool->lost() > 0)
        message_fatal(POLLUX_MACHINE, "no memory for the tasks of the trace: choose larger tiles");
    json_t *record = record_create(&s->context, c, &outcome, s->options->shared.repeat, true,
                                   bindings, variant_observed(&s->availability, c->variant));
    trace_write(&s->events, trace, problem, s->benchmark, &outcome, record, cost);
    say_what_tracing_costs(c, &outcome, cost);
    json_decref(record);
    trace_destroy(trace);
    if (!outcome.passed)
        message_error("%s, N = %zu: the traced repetition failed", c->variant->name, c->n);
    return outcome.passed;
}

static bool run_configuration(struct session *s, const struct configuration *c, size_t index)
{
    const struct options *o = s->options;
    struct problem *problem = run_create(c);
    struct outcome *outcomes = calloc(o->shared.repeat, sizeof *outcomes);
    if (!outcomes)
        message_fatal(POLLUX_MACHINE, "no memory");
    json_t *bindings = run_bindings(s->setup.topology, c->variant->sequential ? 1 : c->threads);
    for (size_t w = 0; w < o->shared.warmup; w++)
        run_once(c, problem, o->shared.seed, CHECK_NONE, NULL, NULL);
    for (size_t r = 0; r < o->shared.repeat; r++) {
        report_progress(c, index * o->shared.repeat + r, s->plan.count * o->shared.repeat);
        outcomes[r] = run_once(c, problem, o->shared.seed + r, o->check, NULL, s->meter);
        json_t *record = record_create(&s->context, c, &outcomes[r], r, false, bindings,
                                       variant_observed(&s->availability, c->variant));
        record_file_append(&s->output, record);
        report_repetition(&s->report, c, &outcomes[r], r, record);
        json_decref(record);
    }
    bool passed = report_configuration(&s->report, c, outcomes, o->shared.repeat);
    if (o->trace)
        passed =
            trace_repetition(s, c, problem, &outcomes[o->shared.repeat - 1], bindings) && passed;
    json_decref(bindings);
    free(outcomes);
    run_destroy(c, problem);
    return passed;
}

static void create_context(struct session *s)
{
    const struct options *o = s->options;
    const struct record_choices choices = {.matrix_path = o->matrix_path,
                                           .check = o->check,
                                           .first_touch = o->first_touch,
                                           .ompt = o->ompt};
    s->context = record_context_create(&s->setup, &choices, s->meter);
}

static void describe_graphs(struct session *s)
{
    s->events = event_file_open(s->options->graph);
    give_notice(s);
    create_context(s);
    json_t *identity =
        json_pack("{s:O, s:O}", "runtime", s->context.runtime, "compiler", s->context.compiler);
    s->tool = task_tool_find(&s->setup.runtime);
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct variant *variant = s->plan.items[i].variant;
        const char *observed = variant_observed(&s->availability, variant);
        json_object_set_new(identity, "concurrent_write",
                            concurrent_write_json(variant->concurrent_write, observed));
        s->plan.items[i].interleave = NULL;
        graph_write(&s->events, &s->plan.items[i], s->tool, identity);
    }
    json_decref(identity);
    event_file_close(&s->events);
}

static void choose_kernels(const struct session *s)
{
    enum kernel_set set = s->options->kernels;
    const char *missing = kernels_missing(s->benchmark, set);
    if (missing)
        message_fatal(POLLUX_MACHINE, "--kernels %s cannot run here: %s; use --kernels %s",
                      kernel_set_names[set], missing,
                      kernel_set_names[default_kernels(s->benchmark)]);
    if (s->benchmark->use_kernels)
        s->benchmark->use_kernels(set);
}

static bool is_nested(const struct options *o)
{
    for (size_t v = 0; v < o->variant_count; v++)
        if (o->variants[v]->nested)
            return true;
    return false;
}

static bool run_configurations(struct session *s)
{
    bool passed = true;
    check_levels(s);
    check_team(s);
    check_memory(s);
    s->meter = energy_meter_create();
    s->output = record_file_open(s->options->shared.output);
    s->events = event_file_open(s->options->trace);
    if (s->options->shared.threads.count == 0)
        team_explain_default();
    team_warn(&s->setup, most_threads(&s->plan));
    run_selftests(&s->plan);
    give_notice(s);
    create_context(s);
    s->tool = s->options->ompt ? task_tool_find(&s->setup.runtime) : NULL;
    s->report = (struct report){s->options->shared.format, s->benchmark, &s->setup,
                                s->options->kernels, is_nested(s->options)};
    report_begin(&s->report);
    for (size_t i = 0; i < s->plan.count; i++)
        passed = run_configuration(s, &s->plan.items[i], i) && passed;
    record_file_close(&s->output);
    event_file_close(&s->events);
    return passed;
}

static enum pollux_exit run_session(struct session *s)
{
    bool passed = true;
    choose_kernels(s);
    read_matrix(s);
    make_plan(s);
    if (s->options->graph)
        describe_graphs(s);
    else
        passed = run_configurations(s);
    record_context_destroy(&s->context);
    energy_meter_destroy(s->meter);
    matrix_market_free(&s->file);
    plan_destroy(&s->plan);
    return passed ? POLLUX_OK : POLLUX_FAILED;
}

static struct setup_needs needs_of(const struct options *o)
{
    return (struct setup_needs){.priority_max = o->no_priority ? 0 : PRIORITY_MAX,
                                .nested = is_nested(o),
                                .tool_option = o->graph  ? "--graph"
                                               : o->ompt ? "--ompt"
                                                         : NULL};
}

/* With --graph nothing is printed, so its file may be standard output. */
static void check_files(const struct options *o)
{
    const struct named_file files[] = {{"--matrix", o->matrix_path, false},
                                       {"--output", o->shared.output, true},
                                       {"--trace", o->trace, true},
                                       {"--graph", o->graph, false}};
    files_check(files, sizeof files / sizeof *files);
}

int drive(const struct benchmark *benchmark, int argc, char **argv)
{
    enum pollux_exit status = POLLUX_OK;
    message_program(argv[0]);
    struct options options = options_parse(benchmark, argc, argv);
    struct session session = {.benchmark = benchmark, .options = &options};
    const struct setup_needs needs = needs_of(&options);
    if (options.shared.list) {
        listing_benchmark(benchmark, &options);
        return POLLUX_OK;
    }
    check_files(&options);
    setup_create(&session.setup, &needs, argv);
    session.availability = availability_begin(&options, &session.setup.runtime);
    if (options.probe)
        variant_probe(options.variants[0], session.availability.threads);
    else if (options.shared.version)
        listing_version(benchmark->name, &session.setup, benchmark, &session.availability);
    else
        status = run_session(&session);
    setup_destroy(&session.setup);
    return (int)status;
}
