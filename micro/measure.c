/* SPDX-License-Identifier: BSD-3-Clause
 * A pass with a gate shows what creation costs, since no task can run meanwhile, and what the execution of
 * created tasks costs. In a further such pass tasks note their times. Where a runtime runs tasks nevertheless
 * while they are created, they notice, and what follows from the gate is not known. */
#include "micro/measure.h"

#include <math.h>

#include "common/base/clock.h"
#include "micro/bench.h"
#include "micro/pass.h"

enum { ITEM_COUNTS_MAX = 7 }; /* 1, 2, 4 … ITEMS_MAX */

static struct pass run_pass(struct bench *bench, struct pass_choice choice, struct repetition *r)
{
    struct pass pass = pass_run(bench, choice);
    bench_check(bench, r);
    return pass;
}

static const char RAN_EARLY[] = "the runtime ran tasks while they were created";
static const char NO_PREDECESSORS[] = "no task of this pattern waits for another";
static const char FIXED_ITEMS[] = "the pattern fixes the number of items";
static const char ONE_COUNT[] = "--items above 1 measures it";

static void lack_all(struct terms *terms, const char *reason)
{
    for (enum term t = 0; t < TERMS; t++)
        terms_lack(terms, t, reason);
}

/* Whether nothing ran before the gate was open; otherwise the terms that rely on that are not known. */
static bool gate_held(const struct bench *bench, struct repetition *r)
{
    if (!bench_ran_early(bench))
        return true;
    lack_all(&r->terms, RAN_EARLY);
    return false;
}

/* The time to create a task with so many items each behind a gate; NaN where tasks ran early. */
static double creation_with_items(struct bench *bench, size_t items, struct repetition *r)
{
    bench->shape.items = items;
    struct pass pass = run_pass(bench, (struct pass_choice){.gated = true}, r);
    bench->shape.items = bench->configuration.items;
    return bench_ran_early(bench) ? NAN : pass.creating_ns / (double)bench->configuration.tasks;
}

static void measure_items(struct bench *bench, struct repetition *r)
{
    double items[ITEM_COUNTS_MAX], ns[ITEM_COUNTS_MAX];
    size_t count = 0;
    if (!bench->configuration.pattern->chosen_items || bench->configuration.items == 1) {
        terms_lack(&r->terms, TERM_PER_ITEM,
                   bench->configuration.pattern->chosen_items ? ONE_COUNT : FIXED_ITEMS);
        return;
    }
    for (size_t k = 1; k <= bench->configuration.items; k *= 2) {
        items[count] = (double)k;
        ns[count++] = creation_with_items(bench, k, r);
    }
    double result = slope(items, ns, count);
    if (isfinite(result))
        terms_know(&r->terms, TERM_PER_ITEM, result);
    else
        terms_lack(&r->terms, TERM_PER_ITEM, RAN_EARLY);
}

static void measure_creation(struct bench *bench, struct repetition *r)
{
    struct pass pass = run_pass(bench, (struct pass_choice){.gated = true}, r);
    if (!gate_held(bench, r))
        return;
    r->created_ns = pass.creating_ns;
    r->emptied_ns = (double)(pass.end_ns - pass.opened_ns);
    terms_know(&r->terms, TERM_CREATION, r->created_ns / (double)bench->configuration.tasks);
}

static void measure_release(struct bench *bench, double clock_ns, struct repetition *r)
{
    struct pass pass = run_pass(bench, (struct pass_choice){.gated = true, .timed = true}, r);
    size_t runs = bench->configuration.creators;
    if (!gate_held(bench, r))
        return;
    terms_know(&r->terms, TERM_COMPLETION, completion_ns(bench->runs, runs, pass.end_ns, clock_ns));
    if (graph_edges(&bench->graph) > 0)
        terms_know(&r->terms, TERM_RELEASE, release_ns(bench->runs, runs, clock_ns));
    else
        terms_lack(&r->terms, TERM_RELEASE, NO_PREDECESSORS);
}

static void call_tasks(const struct pattern *pattern, struct run *run)
{
    if (pattern->call) {
        pattern->call(run);
        return;
    }
    for (size_t t = 0; t < run->shape->tasks; t++)
        run_task(run, t);
}

/* The tasks' own code, in the order of creation, on one thread. */
static void measure_body(struct bench *bench, struct repetition *r)
{
    struct run *run = &bench->runs[0];
    run_reset(run);
    run->open = 1;
    run->timed = false;
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    call_tasks(bench->configuration.pattern, run);
    r->body_ns = (double)(now_ns(CLOCK_MONOTONIC) - begin) / (double)bench->shape.tasks;
}

/* One of two passes is sampled, and its time is not used. The first finds colder caches than the second: they take
 * turns. @return the sampled one */
static struct pass measure_ungated(struct bench *bench, struct repetition *r)
{
    bool second = bench->repetitions++ % 2 != 0;
    struct pass one = run_pass(bench, (struct pass_choice){.sampled = second}, r);
    struct pass two = run_pass(bench, (struct pass_choice){.sampled = !second}, r);
    const struct pass *ungated = second ? &two : &one;
    r->ungated_ns = (double)(ungated->end_ns - ungated->begin_ns);
    return second ? one : two;
}

/* Creation without a gate, and what then is left: the share of the tasks that had not ended, each taking the time
 * that a task takes once all are created. The sum predicts the time of a pass that is not part of either. */
static void split_open_pass(const struct pass *pass, struct repetition *r)
{
    r->open_created_ns = (double)(pass->created_ns - pass->begin_ns);
    r->left_ns = pass->ended_share < 1.0 ? (1.0 - pass->ended_share) * r->emptied_ns : 0.0;
}

/* What ran in a wrong order has no time. */
static void forget_times(struct repetition *r)
{
    r->ungated_ns = r->created_ns = r->emptied_ns = NAN;
    r->open_created_ns = r->left_ns = NAN;
    lack_all(&r->terms, "tasks ran in a wrong order");
}

void bench_pass(struct bench *bench, struct repetition *r)
{
    struct pass ungated = run_pass(bench, (struct pass_choice){0}, r);
    r->ungated_ns = (double)(ungated.end_ns - ungated.begin_ns);
}

struct repetition bench_repeat(struct bench *bench, double clock_ns)
{
    struct repetition r = {.passed = true, .created_ns = NAN, .emptied_ns = NAN};
    measure_body(bench, &r);
    struct pass open = measure_ungated(bench, &r);
    if (bench->configuration.pattern->roots)
        measure_creation(bench, &r);
    else
        lack_all(&r.terms, bench->configuration.pattern->ungated);
    if (!r.terms.reason[TERM_CREATION])
        measure_release(bench, clock_ns, &r);
    if (!r.terms.reason[TERM_CREATION])
        measure_items(bench, &r);
    split_open_pass(&open, &r);
    if (!r.passed)
        forget_times(&r);
    return r;
}

double bench_task_bytes(struct bench *bench, struct repetition *r, const char **reason)
{
    double tasks = (double)bench->configuration.tasks;
    *reason = bench->configuration.pattern->ungated;
    if (bench->configuration.creators > 1)
        *reason = "several threads create tasks";
    if (*reason)
        return NAN;
    struct pass pass = run_pass(bench, (struct pass_choice){.gated = true, .weighed = true}, r);
    if (bench_ran_early(bench))
        *reason = RAN_EARLY;
    else if (isnan(pass.heap_bytes))
        *reason = "the C library does not tell (glibc 2.33 does)";
    else if (pass.heap_bytes <= 0.0)
        *reason = "the runtime took it from memory that it already had";
    return *reason ? NAN : pass.heap_bytes / tasks;
}
