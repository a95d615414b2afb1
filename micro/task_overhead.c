/* SPDX-License-Identifier: BSD-3-Clause
 * All of task-overhead: options, process, every combination of the command line's lists, records. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/message.h"
#include "common/driver/files.h"
#include "common/driver/listing.h"
#include "common/driver/team_needs.h"
#include "common/execution/team.h"
#include "common/identity/capabilities.h"
#include "common/machine/host.h"
#include "common/output/record.h"
#include "common/output/record_file.h"
#include "common/process/setup.h"
#include "common/run/run.h"
#include "micro/options.h"
#include "micro/output.h"

enum { WITH_SIZE = 32 };

/* Configurations in the order in which they run. */
struct plan {
    size_t count;
    struct micro_configuration *items;
};

/* Data that the configurations of a process share. */
struct session {
    struct micro_options options;
    struct setup setup;
    struct record_context process;
    struct record_file output;
    struct plan plan;
    double clock_ns;
    size_t passed;
};

/* Reports why a pattern cannot run here; ends the program unless it was only part of `all`. */
static bool is_runnable(const struct session *s, const struct pattern *pattern, size_t items)
{
    char reason[CAPABILITY_TEXT_SIZE], with[WITH_SIZE] = "";
    if (pattern_can_run(pattern, items, &s->setup.runtime, reason))
        return true;
    if (pattern->chosen_items)
        snprintf(with, sizeof with, " with %zu items", items);
    if (!s->options.all_patterns)
        message_fatal(POLLUX_MACHINE, "pattern %s%s: not run, %s", pattern->name, with, reason);
    message_warning("pattern %s%s: not run, %s", pattern->name, with, reason);
    return false;
}

/* Adds the configurations of a pattern with so many tasks and items. */
static void plan_distances(struct session *s, const struct pattern *pattern, size_t tasks,
                           size_t items)
{
    const struct micro_options *o = &s->options;
    for (size_t d = 0; d < o->distances.count; d++)
        for (size_t t = 0; t < o->threads.count; t++)
            s->plan.items[s->plan.count++] =
                (struct micro_configuration){.pattern = pattern,
                                             .tasks = pattern_fit(pattern, tasks),
                                             .items = items,
                                             .distance = o->distances.value[d],
                                             .threads = o->threads.value[t]};
}

/* Adds one pattern's. Where the pattern fixes the items, --items makes no further ones. */
static void plan_pattern(struct session *s, const struct pattern *pattern)
{
    const struct micro_options *o = &s->options;
    size_t item_counts = pattern->chosen_items ? o->items.count : 1;
    for (size_t k = 0; k < item_counts; k++) {
        size_t items = pattern->chosen_items ? o->items.value[k] : 1;
        size_t task_counts = is_runnable(s, pattern, items) ? o->tasks.count : 0;
        for (size_t n = 0; n < task_counts; n++)
            plan_distances(s, pattern, o->tasks.value[n], items);
    }
}

static void make_plan(struct session *s)
{
    struct micro_options *o = &s->options;
    if (o->threads.count == 0)
        o->threads = (struct number_list){1, {team_default_threads()}};
    s->plan.items = calloc(o->pattern_count * o->tasks.count * o->items.count * o->distances.count *
                               o->threads.count,
                           sizeof *s->plan.items);
    if (!s->plan.items)
        message_fatal(POLLUX_MACHINE, "no memory for so many configurations: shorten the lists");
    for (size_t p = 0; p < o->pattern_count; p++)
        plan_pattern(s, o->patterns[p]);
}

/* Refuses what the machine cannot do, before anything runs. @return the most threads of a team */
static size_t check_plan(const struct session *s)
{
    const double GIB = 0x1p30;
    size_t available = host_available_bytes(), most_bytes = 0, most_threads = 1;
    for (size_t i = 0; i < s->plan.count; i++) {
        const struct micro_configuration *c = &s->plan.items[i];
        size_t bytes = bench_bytes(c);
        if (bytes > available)
            message_fatal(POLLUX_MACHINE,
                          "%s: %zu tasks with %zu items need about %.3g GiB of memory, and %.3g "
                          "GiB are free: choose fewer with --tasks",
                          c->pattern->name, c->tasks, c->items, (double)bytes / GIB,
                          (double)available / GIB);
        bench_require_addresses(c);
        most_bytes = bytes > most_bytes ? bytes : most_bytes;
        most_threads = c->threads > most_threads ? c->threads : most_threads;
    }
    team_require(&s->setup, most_threads, most_bytes);
    return most_threads;
}

/* A runtime may keep the memory of tasks for later ones: only the first that the process creates show it. */
static void weigh_tasks(struct micro_context *context, struct bench *bench, bool first)
{
    context->task_bytes = NAN;
    context->bytes_reason = "only the first configuration of a process shows it";
    if (first)
        context->task_bytes = bench_task_bytes(bench, &context->bytes_reason);
}

static void run_configuration(struct session *s, const struct micro_configuration *c, bool first)
{
    const struct micro_options *o = &s->options;
    struct micro_context context = {.process = &s->process,
                                    .seed = o->seed,
                                    .clock_ns = s->clock_ns,
                                    .bindings = run_bindings(s->setup.topology, c->threads)};
    struct bench *bench = bench_create(c, o->seed);
    struct repetition *repetitions = calloc(o->repeat, sizeof *repetitions);
    if (!repetitions)
        message_fatal(POLLUX_MACHINE, "no memory for %zu repetitions", o->repeat);
    weigh_tasks(&context, bench, first);
    for (size_t w = 0; w < o->warmup; w++)
        bench_repeat(bench, s->clock_ns);
    for (size_t r = 0; r < o->repeat; r++) {
        repetitions[r] = bench_repeat(bench, s->clock_ns);
        json_t *record = micro_record(&context, c, &repetitions[r], r);
        record_file_append(&s->output, record);
        micro_report_repetition(o->format, &context, c, &repetitions[r], r, record);
        json_decref(record);
    }
    s->passed += micro_report_configuration(o->format, c, repetitions, o->repeat);
    json_decref(context.bindings);
    free(repetitions);
    bench_destroy(bench);
}

static enum pollux_exit run_session(struct session *s)
{
    const struct record_choices choices = {.check = CHECK_NONE};
    make_plan(s);
    size_t threads = check_plan(s);
    s->output = record_file_open(s->options.output);
    team_warn(&s->setup, threads);
    s->process = record_context_create(&s->setup, &choices, NULL);
    s->clock_ns = clock_cost_ns();
    keep_heap();
    micro_report_begin(s->options.format, &s->setup, s->clock_ns);
    for (size_t i = 0; i < s->plan.count; i++)
        run_configuration(s, &s->plan.items[i], i == 0);
    size_t repetitions = s->plan.count * s->options.repeat;
    micro_report_end(s->options.format, &s->setup, s->plan.count, s->passed, repetitions);
    record_file_close(&s->output);
    record_context_destroy(&s->process);
    free(s->plan.items);
    return s->passed == repetitions ? POLLUX_OK : POLLUX_FAILED;
}

int main(int argc, char **argv)
{
    enum pollux_exit status = POLLUX_OK;
    message_program(argv[0]);
    struct session session = {.options = micro_options_parse(argc, argv)};
    const struct setup_needs needs = {.no_blas = true};
    const struct named_file output = {"--output", session.options.output, true};
    if (session.options.list) {
        micro_list(session.options.format);
        return POLLUX_OK;
    }
    files_check(&output, 1);
    setup_create(&session.setup, &needs, argv);
    if (session.options.version)
        listing_version("task-overhead", &session.setup, NULL);
    else
        status = run_session(&session);
    setup_destroy(&session.setup);
    return (int)status;
}
