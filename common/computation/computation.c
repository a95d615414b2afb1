/* SPDX-License-Identifier: BSD-3-Clause
 * A computation on a matrix as a program of the driver: the functions that it calls, of the one benchmark of a process. */
#include "common/computation/computation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/computation/session.h"
#include "common/driver/files.h"
#include "common/process/blas_selftest.h"
#include "common/process/runtime_routines.h"
#include "common/run/parameters.h"

struct computation current;
static struct program program;

static unsigned parameters_of(const struct variant *v)
{
    unsigned own = 0;
    for (size_t i = 0; i < current.benchmark->parameter_count; i++)
        if (parameter_concerns(&current.benchmark->parameters[i], v))
            own |= 1u << i;
    return own;
}

static struct program_variant variant(size_t index)
{
    static const char *const inputs[] = {[INPUT_UNIFORM] = "uniform",
                                         [INPUT_SPD] = "spd",
                                         [INPUT_DOMINANT] = "dominant",
                                         [INPUT_OWN] = "own"};
    if (index == current.benchmark->variant_count)
        return (struct program_variant){0};
    const struct variant *v = &current.benchmark->variants[index];
    return (struct program_variant){.name = v->name,
                                    .summary = v->summary,
                                    .needs = v->needs,
                                    .missing = !v->submit,
                                    .sequential = v->sequential,
                                    .parameters = parameters_of(v),
                                    .digest_group = v->digest_group,
                                    .input = inputs[v->input],
                                    .nested = v->nested,
                                    .own_team = v->own_team,
                                    .tasks_per_update = v->tasks_per_update};
}

static size_t choices(void)
{
    return current.options.tiles.count;
}

static void take_option(int key, const char *text)
{
    computation_options_take(current.benchmark, &current.options, key, text);
}

static const struct variant *requested(size_t index)
{
    return &current.benchmark->variants[current.general->variants.value[index]];
}

static bool nested_is_requested(void)
{
    for (size_t v = 0; v < current.general->variants.count; v++)
        if (requested(v)->nested)
            return true;
    return false;
}

unsigned requested_parameters(void)
{
    unsigned all = 0;
    for (size_t v = 0; v < current.general->variants.count; v++)
        all |= parameters_of(requested(v));
    return all;
}

static void check_command_line(struct program_options *given)
{
    current.general = given;
    computation_options_check(current.benchmark, &current.options, current.general);
}

static void setup_needs(struct setup_needs *needs)
{
    needs->priority_max = current.options.no_priority ? 0 : PRIORITY_MAX;
    needs->nested = nested_is_requested();
    needs->tool_option = current.options.graph ? "--graph" : current.options.ompt ? "--ompt" : NULL;
}

/* The processes are not known yet: the files of all that there might be are left to them. */
static void check_own_files(const char *output)
{
    const struct processes *processes = current.benchmark->processes;
    const char *trace = current.options.trace;
    if (processes && trace && output && files_are_neighbours(trace, output) &&
        processes->is_own_file(basename(trace), basename(output)))
        message_fatal(POLLUX_USAGE,
                      "--output and --trace %s name the same file, %s, which is that of one of the "
                      "processes: give two files",
                      trace, output);
}

/* With --graph nothing is printed, so its file may be standard output. */
static void check_files(const struct shared_options *shared)
{
    const struct named_file files[] = {{"--matrix", current.options.matrix_path, false},
                                       {"--output", shared->output, true},
                                       {"--trace", current.options.trace, true},
                                       {"--graph", current.options.graph, false}};
    files_check(files, sizeof files / sizeof *files);
    check_own_files(shared->output);
}

static void find_availability(const struct runtime_identity *loaded)
{
    if (current.availability.runtime)
        return;
    current.runtime = *loaded;
    current.availability = availability_begin(&current.general->shared.threads, &current.runtime);
}

/* Whether a variant has what --graph describes. */
static bool has_graph(const struct variant *v, char *reason, size_t size)
{
    if (!current.options.graph || !v->own_team)
        return true;
    snprintf(reason, size, "it consists of parallel loops and has no task graph");
    return false;
}

static bool available(size_t index, const struct runtime_identity *loaded, char *reason)
{
    const struct variant *v = &current.benchmark->variants[index];
    find_availability(loaded);
    if (!variant_available(&current.availability, v, reason))
        return false;
    return current.general->shared.list ||
           (variant_levels_allowed(v, reason, REASON_SIZE) && has_graph(v, reason, REASON_SIZE) &&
            processes_allow(v, reason, REASON_SIZE));
}

static size_t bytes(const struct point *point)
{
    const struct configuration c = planned_configuration(point);
    return configuration_bytes(&c, current.options.check);
}

static size_t all_threads(const struct point *point)
{
    const struct configuration c = planned_configuration(point);
    return configuration_all_threads(&c);
}

static void words(const struct point *point, char *text, size_t size)
{
    const struct configuration c = planned_configuration(point);
    snprintf(text, size, "%s with M = %zu, N = %zu, tiles of %zu x %zu, %zu thread%s",
             c.variant->name, c.m, c.n, c.mb, c.nb, c.threads, plural(c.threads));
}

/* Refuses what the benchmark cannot run, and nested teams that would be smaller than requested. */
static void require(const struct point *point)
{
    const struct configuration c = planned_configuration(point);
    size_t threads = configuration_all_threads(&c);
    configuration_require(&c);
    if (c.variant->nested && threads > (size_t)runtime_thread_limit())
        message_fatal(POLLUX_MACHINE,
                      "variant %s: %zu x %zu threads are more than the runtime's limit of %d: "
                      "raise OMP_THREAD_LIMIT, or request fewer",
                      c.variant->name, c.threads, configuration_inner_team(&c),
                      runtime_thread_limit());
}

static void describe(json_t *description)
{
    listing_describe(current.benchmark, description);
}

static void use_kernels(void)
{
    if (current.benchmark->use_kernels)
        current.benchmark->use_kernels(current.options.kernels);
}

static json_t *instance(const struct point *point)
{
    use_kernels(); /* on which the memory of QR depends */
    const struct configuration c = listed_configuration(point);
    return listing_instance(&c, current.options.check);
}

static void list(const struct runtime_identity *loaded)
{
    find_availability(loaded);
    listing_table(current.benchmark, &current.availability);
}

static void version(const struct setup *setup)
{
    find_availability(&setup->runtime);
    listing_writes(current.benchmark, &current.availability);
}

static void choose_kernels(void)
{
    enum kernel_set set = current.options.kernels;
    const char *missing = kernels_missing(current.benchmark, set);
    if (missing)
        message_fatal(POLLUX_MACHINE, "--kernels %s cannot run here: %s; use --kernels %s",
                      kernel_set_names[set], missing,
                      kernel_set_names[default_kernels(current.benchmark)]);
    use_kernels();
}

/* Residuals are quotients of norms: where the squares of all elements underflow, anything would seem right. What is not
 * finite is left to the factorization, which breaks down there. */
static void check_scale(const char *path)
{
    const double least = 1e-140, most = 1e140;
    double largest = dense_matrix_largest(&current.file);
    bool known = isfinite(largest) && largest > 0.0 && !current.benchmark->pattern_files;
    if (known && (largest < least || largest > most))
        message_fatal(POLLUX_USAGE,
                      "%s: its largest element is %.3g, and residuals are known from %g to %g: "
                      "scale the matrix",
                      path, largest, least, most);
}

static void read_matrix(void)
{
    const char *path = current.options.matrix_path;
    if (!path)
        return;
    current.file = matrix_market_read(path);
    if (!current.benchmark->rectangular && current.file.m != current.file.n)
        message_fatal(POLLUX_USAGE, "%s is %zu x %zu: %s needs a square matrix", path,
                      current.file.m, current.file.n, current.benchmark->name);
    if (current.benchmark->symmetric && !dense_matrix_is_symmetric(&current.file))
        message_fatal(POLLUX_USAGE, "%s is not symmetric: %s needs a symmetric matrix", path,
                      current.benchmark->name);
    check_scale(path);
    current.general->sizes = (struct number_list){1, {current.file.n}};
}

static void begin(const struct setup *setup, struct program_options *given)
{
    find_availability(&setup->runtime);
    if (current.benchmark->processes)
        processes_join(given);
    current.topology = setup->topology;
    choose_kernels();
    read_matrix();
}

void give_notice(const struct plan *plan)
{
    const char *last = NULL;
    for (size_t i = 0; i < plan->count; i++) {
        const struct concurrent_write *write =
            current.benchmark->variants[plan->points[i].index].concurrent_write;
        if (!write || !write->notice || write->notice == last)
            continue;
        last = write->notice;
        message_warning("%s", last);
    }
}

/* Again where the order changes, or a team is larger than all before it. */
static void run_selftests(const struct plan *plan)
{
    size_t last_order = 0, most_threads = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct configuration c = planned_configuration(&plan->points[i]);
        size_t order = configuration_selftest_order(&c), threads = configuration_all_threads(&c);
        if (order == 0)
            continue;
        if (order != last_order)
            most_threads = 0;
        if (threads > most_threads)
            blas_require_selftest(order, threads);
        last_order = order;
        most_threads = larger(most_threads, threads);
    }
}

struct record_choices choices_of_records(void)
{
    return (struct record_choices){.matrix_path = current.options.matrix_path,
                                   .check = current.options.check,
                                   .first_touch = current.options.first_touch,
                                   .ompt = current.options.ompt};
}

static bool instead(const struct plan *plan, const struct setup *setup)
{
    if (current.options.graph)
        describe_graphs(plan, setup);
    return current.options.graph != NULL;
}

/* Of this process. */
static const char *trace_path(void)
{
    const struct processes *processes = current.benchmark->processes;
    if (current.options.trace && processes)
        current.trace_path = processes->own_file(current.options.trace);
    return current.trace_path ? current.trace_path : current.options.trace;
}

static const struct energy_meter *before(const struct plan *plan, struct record_choices *chosen)
{
    *chosen = choices_of_records();
    current.meter = energy_meter_create();
    current.events = event_file_open(trace_path());
    run_selftests(plan);
    give_notice(plan);
    current.tool = current.options.ompt ? task_tool_find(&current.runtime) : NULL;
    return current.meter;
}

static void end(void)
{
    if (current.options.trace)
        event_file_close(&current.events);
    free(current.trace_path);
    energy_meter_destroy(current.meter);
    matrix_market_free(&current.file);
    if (current.benchmark->processes)
        current.benchmark->processes->end();
}

static bool has_nested_variants(void)
{
    for (size_t v = 0; v < current.benchmark->variant_count; v++)
        if (current.benchmark->variants[v].nested)
            return true;
    return false;
}

/* What availability.c starts a process for. */
static bool probe(const struct setup *setup)
{
    if (!current.options.probe)
        return false;
    find_availability(&setup->runtime);
    variant_probe(&current.benchmark->variants[current.general->variants.value[0]],
                  current.availability.threads);
    return true;
}

#define EXAMPLE "-n 4096 -b 192,256 -t 2 -v all -o runs.jsonl"
#define LAUNCHED EXAMPLE " (by mpirun -n 2)"

int drive(const struct benchmark *benchmark, int argc, char **argv)
{
    char summary[256];
    if (benchmark->processes)
        benchmark->processes->before();
    current.benchmark = benchmark;
    current.options = computation_options_default(current.benchmark);
    snprintf(summary, sizeof summary, "%s, with OpenMP tasks", current.benchmark->summary);
    program = (struct program){.name = current.benchmark->name,
                               .summary = current.benchmark->summary,
                               .help = summary,
                               .example = benchmark->processes ? LAUNCHED : EXAMPLE,
                               .failure = "a computation or check failed",
                               .algorithm = benchmark_algorithm(benchmark),
                               .computes = true,
                               .blas = true,
                               .nested = has_nested_variants(),
                               .variant_option = "variant",
                               .variant_key = 'v',
                               .variant_summary = "task graph(s), or all; see --list",
                               .default_variant = current.benchmark->default_variant,
                               .variant = variant,
                               .variants_last = true,
                               .size = {.option = "size",
                                        .key = 'n',
                                        .metavar = "N[,N...]",
                                        .summary = "order of the matrix",
                                        .help = "matrix order(s): a list, or START:STOP:STEP",
                                        .standard = standard_size(benchmark),
                                        .counts = "n"},
                               .parameters = current.benchmark->parameters,
                               .parameter_count = current.benchmark->parameter_count,
                               .quantities = &quantity_gflops,
                               .quantity_count = 1,
                               .report = &repetitions_report,
                               .options = computation_options_table(current.benchmark),
                               .texts = &computation_texts,
                               .take_option = take_option,
                               .check_command_line = check_command_line,
                               .choices = choices,
                               .setup_needs = setup_needs,
                               .check_files = check_files,
                               .available = available,
                               .bytes = bytes,
                               .all_threads = all_threads,
                               .words = words,
                               .require = require,
                               .describe = describe,
                               .instance = instance,
                               .list = list,
                               .version = version,
                               .probe = probe,
                               .begin = begin,
                               .instead = instead,
                               .before = before,
                               .end = end,
                               .create = repetitions_create,
                               .destroy = repetitions_destroy,
                               .repeat = repetitions_repeat,
                               .record = repetitions_record};
    return program_main(&program, argc, argv);
}
