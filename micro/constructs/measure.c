/* SPDX-License-Identifier: BSD-3-Clause
 * The reference runs on one thread right before the test, so that both see the same frequency. */
#include "micro/constructs/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/execution/team.h"

enum {
    LINE = 64,
    INNER_FIRST = 16,
    INNER_MAX = 1 << 27, /* a second of the fastest */
    INNER_CHECKED = 64,  /* executions in a row in the checked pass */
};

struct construct_bench {
    struct construct_run run;
    struct construct_configuration configuration;
};

/* From the fastest of several long delays: interruptions only make a delay longer. */
size_t construct_delay_steps(double ns)
{
    enum { ROUNDS = 9 };
    const size_t steps = 1 << 20;
    double fastest = INFINITY;
    for (size_t r = 0; r < ROUNDS; r++) {
        int64_t begin = now_ns(CLOCK_MONOTONIC);
        construct_delay(steps);
        fastest = fmin(fastest, (double)(now_ns(CLOCK_MONOTONIC) - begin));
    }
    return larger(1, (size_t)(ns * (double)steps / fmax(fastest, 1.0)));
}

static void reset(struct construct_bench *bench, size_t inner, bool checked)
{
    struct construct_run *run = &bench->run;
    const struct construct *construct = bench->configuration.construct;
    run->inner = inner;
    run->checked = checked;
    run->total = 0;
    run->inside = 0;
    run->fault = CONSTRUCT_RIGHT;
    memset(run->tallies, 0, run->threads * sizeof *run->tallies);
    if (checked)
        memset(run->marks, 0,
               construct_numbers(construct, run->threads, inner) * sizeof *run->marks);
}

/* Threads that have nothing to do fall asleep, as they may during the reference: an empty region wakes them first. */
static double time_test(struct construct_bench *bench)
{
    team_wake(bench->run.threads);
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    bench->configuration.construct->test(&bench->run);
    return (double)(now_ns(CLOCK_MONOTONIC) - begin);
}

/* Executions on one thread without the construct. @return the time of one */
static double time_reference(struct construct_bench *bench)
{
    struct construct_run *run = &bench->run;
    bool bare = bench->configuration.construct->bare;
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < run->inner; i++) {
        if (bare)
            construct_add(run);
        else
            construct_work(run, i);
    }
    return (double)(now_ns(CLOCK_MONOTONIC) - begin) / (double)run->inner;
}

/* Whether everything ran as often as it must. */
static bool count_is_right(const struct construct_bench *bench)
{
    const struct construct_run *run = &bench->run;
    const struct construct *construct = bench->configuration.construct;
    size_t expected = construct_executions(construct, run->threads, run->inner), executions = 0;
    for (size_t thread = 0; thread < run->threads; thread++)
        executions += run->tallies[thread].executions;
    return (construct->bare || executions == expected) &&
           (!construct->sums || run->total == expected);
}

/* Whether each number ran as often as the others. */
static bool marks_are_right(const struct construct_bench *bench)
{
    const struct construct_run *run = &bench->run;
    const struct construct *construct = bench->configuration.construct;
    size_t numbers = construct_numbers(construct, run->threads, run->inner);
    size_t each = construct_executions(construct, run->threads, run->inner) / numbers;
    for (size_t number = 0; number < numbers && run->checked && !construct->bare; number++)
        if (run->marks[number] != each)
            return false;
    return true;
}

static void check(struct construct_bench *bench, struct result *result)
{
    static const char *const texts[] = {
        [CONSTRUCT_EARLY] = "went on before all that it waits for had run",
        [CONSTRUCT_TOGETHER] = "let a thread in while another was inside"};
    const struct construct_run *run = &bench->run;
    if (run->fault != CONSTRUCT_RIGHT)
        result_fail(result, "execution %zu %s", run->faulty, texts[run->fault]);
    else if (!(count_is_right(bench) && marks_are_right(bench)))
        result_fail(result, "of %zu executions in a row not all ran exactly once", run->inner);
}

/* Of one execution, as construct.h divides the time. */
static double find_overhead(const struct construct_bench *bench, double *ns)
{
    const struct construct_run *run = &bench->run;
    double reference = ns[CONSTRUCT_REFERENCE];
    switch (bench->configuration.construct->share) {
    case SHARE_ALONE:
        ns[CONSTRUCT_TEST] /= (double)run->threads;
        break;
    case SHARE_TASKS:
        reference /= (double)run->threads;
        break;
    case SHARE_TEAM:
    case SHARE_SINGLE:
    case SHARE_OWN:
        break;
    }
    return ns[CONSTRUCT_TEST] - reference;
}

void construct_bench_repeat(struct construct_bench *bench, struct result *result)
{
    size_t inner = bench->configuration.inner;
    double *ns = result->value;
    reset(bench, inner, false);
    ns[CONSTRUCT_REFERENCE] = time_reference(bench);
    reset(bench, inner, false);
    ns[CONSTRUCT_TEST] = time_test(bench) / (double)inner;
    check(bench, result);
    ns[CONSTRUCT_OVERHEAD] = find_overhead(bench, ns);
    reset(bench, INNER_CHECKED, true);
    bench->configuration.construct->test(&bench->run);
    check(bench, result);
    json_object_set_new(result->figures, "executions", json_integer((json_int_t)inner));
}

/* The shortest of a few tests: a processor that was taken away for a while lengthens single ones. */
static double shortest_test(struct construct_bench *bench, size_t inner)
{
    enum { TESTS = 3 };
    double shortest = INFINITY;
    for (size_t t = 0; t < TESTS; t++) {
        reset(bench, inner, false);
        shortest = fmin(shortest, time_test(bench));
    }
    return shortest;
}

/* Doubles the executions until a test takes long enough. */
static size_t choose_inner(struct construct_bench *bench)
{
    size_t inner = INNER_FIRST;
    while (inner < INNER_MAX && shortest_test(bench, inner) < bench->configuration.test_ns)
        inner *= 2;
    return inner;
}

struct construct_bench *construct_bench_create(const struct construct_configuration *c)
{
    struct construct_bench *bench = aligned_alloc(_Alignof(struct construct_bench), sizeof *bench);
    struct tally *tallies = aligned_alloc(_Alignof(struct tally), c->threads * sizeof *tallies);
    size_t *marks = calloc(INNER_CHECKED * c->threads, sizeof *marks);
    char *chains = aligned_alloc(LINE, c->threads * LINE);
    if (!bench || !tallies || !marks || !chains)
        message_fatal(POLLUX_MACHINE, "no memory for %zu threads", c->threads);
    *bench = (struct construct_bench){.configuration = *c,
                                      .run = {.threads = c->threads,
                                              .delay = c->delay_steps,
                                              .tallies = tallies,
                                              .marks = marks,
                                              .chains = chains}};
    team_wake(c->threads);
    if (c->inner == 0)
        bench->configuration.inner = choose_inner(bench);
    return bench;
}

void construct_bench_destroy(struct construct_bench *bench)
{
    free(bench->run.tallies);
    free(bench->run.marks);
    free(bench->run.chains);
    free(bench);
}
