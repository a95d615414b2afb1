/* SPDX-License-Identifier: BSD-3-Clause
 * team_time measures the timed region. */
#include "common/run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/base/turns.h"
#include "common/execution/team.h"
#include "common/matrix/input_product.h"

size_t configuration_inner_team(const struct configuration *c)
{
    for (size_t i = 0; c->variant && c->variant->nested && i < c->benchmark->parameter_count; i++)
        if (c->benchmark->parameters[i].inner_team)
            return c->parameters[i];
    return 1;
}

size_t configuration_all_threads(const struct configuration *c)
{
    return c->threads * configuration_inner_team(c);
}

/* Of a symmetric matrix only the tiles that reach below the diagonal are written. */
static size_t matrix_bytes(const struct configuration *c)
{
    if (c->benchmark->generate)
        return 0;
    size_t bytes = tile_matrix_bytes(c->m, c->n, c->mb, c->nb);
    size_t tiles = ceiling(c->n, c->mb);
    return c->benchmark->symmetric && bytes < SIZE_MAX ? bytes / 2 + bytes / (2 * tiles) : bytes;
}

size_t configuration_selftest_order(const struct configuration *c)
{
    enum { MOST = 1024 }; /* larger products take the same ways through a BLAS, but minutes */
    if (!kernel_set_calls_blas(c->kernels) || configuration_all_threads(c) == 1)
        return 0;
    return smaller(MOST, smaller(c->nb, larger(c->m, c->n)));
}

/* The input of the self-test, its product, and one product for each thread. */
static size_t selftest_bytes(const struct configuration *c)
{
    size_t order = configuration_selftest_order(c);
    return saturating_multiply(order * order * sizeof(double),
                               saturating_add(configuration_all_threads(c), 2));
}

/* Probes and their products; for `full`, blocks of columns instead. */
static size_t probes_bytes(const struct configuration *c, enum check check)
{
    size_t nb = smaller(c->nb, larger(c->m, c->n));
    size_t columns = check == CHECK_FULL ? saturating_multiply(nb, c->threads) : PROBES;
    size_t vectors = saturating_multiply(3 * larger(c->m, c->n) * sizeof(double), columns);
    size_t input = input_multiply_bytes(c->m, PROBES, c->threads);
    return saturating_add(vectors, input);
}

/* The input of a configuration without a variant serves to list sizes. */
static struct input input_of(const struct configuration *c, uint64_t seed)
{
    enum input_kind random = c->variant ? c->variant->input : INPUT_OWN;
    return (struct input){.kind = c->file ? INPUT_FILE : random,
                          .m = c->m,
                          .n = c->n,
                          .seed = seed,
                          .elements = c->file ? c->file->elements : NULL};
}

static struct problem problem_of(const struct configuration *c)
{
    struct problem problem = {.m = c->m,
                              .n = c->n,
                              .mb = c->mb,
                              .nb = c->nb,
                              .ib = c->ib,
                              .threads = c->threads,
                              .interleave = c->interleave,
                              .input = input_of(c, 0),
                              .variant = c->variant};
    memcpy(problem.parameters, c->parameters, sizeof problem.parameters);
    return problem;
}

void configuration_require(const struct configuration *c)
{
    struct problem sizes = problem_of(c);
    if (c->benchmark->require)
        c->benchmark->require(&sizes);
}

double problem_flops(const struct benchmark *benchmark, const struct problem *problem)
{
    return benchmark->operations ? benchmark->operations(problem)
                                 : benchmark->flops((double)problem->m, (double)problem->n);
}

double configuration_flops(const struct configuration *c)
{
    struct problem sizes = problem_of(c);
    return problem_flops(c->benchmark, &sizes);
}

double configuration_tasks(const struct configuration *c, const struct variant *variant)
{
    struct problem sizes = problem_of(c);
    return c->benchmark->tasks(&sizes, variant);
}

static size_t workspace_doubles(const struct configuration *c)
{
    struct problem sizes = problem_of(c);
    return c->benchmark->workspace_doubles ? c->benchmark->workspace_doubles(&sizes) : 0;
}

static size_t verification_bytes(const struct configuration *c, enum check check)
{
    struct problem sizes = problem_of(c);
    if (check == CHECK_NONE)
        return 0;
    if (c->benchmark->verify)
        return c->benchmark->verify_bytes ? c->benchmark->verify_bytes(&sizes, check) : 0;
    return probes_bytes(c, check);
}

size_t configuration_bytes(const struct configuration *c, enum check check)
{
    struct problem sizes = problem_of(c);
    size_t factors = c->benchmark->factor_bytes ? c->benchmark->factor_bytes(&sizes) : 0;
    size_t workspace = saturating_multiply(workspace_doubles(c) * sizeof(double), c->threads);
    size_t bytes = saturating_add(matrix_bytes(c), factors);
    bytes = saturating_add(bytes, saturating_add(workspace, verification_bytes(c, check)));
    return larger(bytes, selftest_bytes(c)); /* the self-test is over before the run begins */
}

struct problem *run_create(const struct configuration *c)
{
    struct problem *problem = zeros(1, sizeof *problem);
    *problem = problem_of(c);
    bool own = c->benchmark->generate;
    problem->A = own ? NULL : tile_matrix_create(c->m, c->n, c->mb, c->nb, c->interleave);
    problem->execution = execution_create(c->threads, workspace_doubles(c));
    if (!(problem->A || own) || !problem->execution ||
        (c->benchmark->create && c->benchmark->create(problem) != 0))
        message_fatal(POLLUX_MACHINE, "no memory for N = %zu, tiles of %zu x %zu, %zu thread%s",
                      c->n, c->mb, c->nb, c->threads, plural(c->threads));
    return problem;
}

void run_destroy(const struct configuration *c, struct problem *problem)
{
    if (c->benchmark->destroy)
        c->benchmark->destroy(problem);
    tile_matrix_destroy(problem->A);
    execution_destroy(problem->execution);
    free(problem);
}

/* Without a team, or with one that the variant opens. Creating any other is never part of the time. */
static struct team_run time_alone(const struct configuration *c, struct problem *problem,
                                  struct energy_meter *meter)
{
    struct team_run run = {.threads = problem->threads};
    energy_meter_begin(meter);
    run.start_ns = run.submitted_ns = now_ns(CLOCK_MONOTONIC);
    c->variant->submit(problem);
    run.end_ns = now_ns(CLOCK_MONOTONIC);
    if (c->benchmark->processes)
        c->benchmark->processes->finish(problem); /* the run ends with the slowest of them */
    energy_meter_end(meter);
    return run;
}

/* What team_time hands on to submit_problem. */
struct submission {
    const struct variant *variant;
    struct problem *problem;
};

static void submit_problem(void *argument)
{
    const struct submission *submission = argument;
    submission->variant->submit(submission->problem);
}

static void begin_energy(void *meter)
{
    energy_meter_begin(meter);
}

static void end_energy(void *meter)
{
    energy_meter_end(meter);
}

static struct team_run time_variant(const struct configuration *c, struct problem *problem,
                                    struct energy_meter *meter)
{
    const struct variant *variant = c->variant;
    struct submission submission = {variant, problem};
    const struct team_hooks hooks = {begin_energy, end_energy, meter};
    if (variant->sequential)
        return time_alone(c, problem, meter);
    struct team_run run = variant->own_team
                              ? time_alone(c, problem, meter)
                              : team_time(problem->threads, submit_problem, &submission, &hooks);
    if (variant->own_team)
        run.threads = execution_outer_team(problem->execution);
    if (problem->execution->submitted_ns > 0)
        run.submitted_ns = problem->execution->submitted_ns;
    team_require_given(run.threads, problem->threads);
    return run;
}

static void measure_energy(struct outcome *outcome, struct energy_meter *meter)
{
    if (!meter)
        return;
    energy_meter_evaluate(meter);
    outcome->energy = meter->total.status;
    outcome->joules = meter->total.joules;
}

void run_generate(const struct configuration *c, struct problem *problem, uint64_t seed)
{
    problem->input.seed = seed;
    if (c->benchmark->generate)
        c->benchmark->generate(problem);
    else
        input_fill(&problem->input, problem->A, !c->benchmark->symmetric, c->threads);
}

bool levels_missing(const struct levels *levels)
{
    return levels->inner_given > 0 && levels->inner_given < levels->inner_requested;
}

static struct levels levels_of(const struct configuration *c, const struct problem *problem)
{
    if (!c->variant->nested)
        return (struct levels){.outer = c->threads};
    return (struct levels){.outer = c->threads,
                           .inner_requested = configuration_inner_team(c),
                           .inner_given = execution_inner_team(problem->execution)};
}

static void evaluate(const struct configuration *c, struct problem *problem, enum check check,
                     struct outcome *outcome)
{
    outcome->gflops = outcome->flops / outcome->seconds * 1e-9;
    outcome->digest = c->benchmark->digest(problem);
    if (!verify(c->benchmark, problem, check, &outcome->verification))
        message_fatal(POLLUX_MACHINE,
                      "no memory to verify N = %zu, NB = %zu; --check=none would "
                      "leave it out",
                      c->n, c->nb);
    outcome->passed = outcome->verification.passed && !levels_missing(&outcome->levels);
    if (c->benchmark->figures)
        outcome->figure_count = c->benchmark->figures(problem, outcome->seconds, outcome->figures);
}

/* Of a run that is spread over processes. */
static void conclude(const struct configuration *c, struct problem *problem,
                     struct outcome *outcome)
{
    struct share share = {outcome->seconds, outcome->tasks};
    c->benchmark->processes->conclude(problem, &share);
    outcome->seconds = share.seconds;
    outcome->tasks = share.tasks;
    outcome->failure = atomic_load(&problem->execution->failure);
}

struct outcome run_once(const struct configuration *c, struct problem *problem, uint64_t seed,
                        enum check check, struct trace *trace, struct energy_meter *meter)
{
    struct outcome outcome = {.seed = seed, .energy = ENERGY_UNAVAILABLE, .joules = NAN};
    run_generate(c, problem, seed);
    execution_reset(problem->execution);

    execution_trace(problem->execution, trace);
    if (c->benchmark->processes)
        c->benchmark->processes->prepare(problem, c->variant);
    outcome.period = period_begin();
    outcome.region = time_variant(c, problem, meter);
    execution_trace(problem->execution, NULL);
    outcome.seconds = 1e-9 * (double)(outcome.region.end_ns - outcome.region.start_ns);
    period_end(&outcome.period);
    turn_end();
    measure_energy(&outcome, meter);
    outcome.tasks = execution_kernel_count(problem->execution);
    outcome.failure = atomic_load(&problem->execution->failure);
    outcome.levels = levels_of(c, problem);
    outcome.flops = problem_flops(c->benchmark, problem);
    if (c->benchmark->processes)
        conclude(c, problem, &outcome);
    if (outcome.failure == 0)
        evaluate(c, problem, check, &outcome);
    return outcome;
}

/* What team_each hands on to describe_binding. */
struct bindings {
    const struct topology *topology;
    char **text;
};

static void describe_binding(void *argument, size_t thread)
{
    const struct bindings *bindings = argument;
    bindings->text[thread] = topology_thread_binding(bindings->topology);
}

json_t *run_bindings(const struct topology *topology, size_t threads)
{
    struct bindings bindings = {topology, calloc(threads, sizeof(char *))};
    json_t *list = json_array();
    if (!bindings.text)
        return list;
    team_each(threads, describe_binding, &bindings);
    for (size_t t = 0; t < threads; t++) {
        const char *text = bindings.text[t];
        json_array_append_new(list, json_string(text ? text : "unknown"));
        free(bindings.text[t]);
    }
    free(bindings.text);
    return list;
}
