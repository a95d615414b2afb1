/* SPDX-License-Identifier: BSD-3-Clause
 * A pass with a gate shows what creation costs, since no task can run meanwhile, and what the execution of
 * created tasks costs. In a further such pass tasks note their times. Where a runtime runs tasks nevertheless
 * while they are created, they notice, and what follows from the gate is not known. */
#include "micro/measure.h"

#include <malloc.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/clock.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/execution/team.h"
#include "micro/gate.h"

/* What runtimes take for a task, and for a dependence item, rounded up: libomp 19 takes 1600 bytes for a task of a
 * chain, libgomp 12 takes 368. */
enum { TASK_BYTES = 2048, ITEM_BYTES = 128 };

/* Predecessors of a task in the pattern that has most of them. */
enum { PREDECESSORS = 6 };

enum { ITEM_COUNTS_MAX = 7 }; /* 1, 2, 4 … ITEMS_MAX */

struct bench {
    struct micro_configuration configuration;
    struct shape shape;
    struct graph graph;
    struct run run;
    size_t address_bytes;
    size_t repetitions; /* so far */
};

/* One pass: how tasks are created, and its times. */
struct pass {
    struct bench *bench;
    bool gated;
    bool weighed; /* the growth of the heap is measured */
    int64_t begin_ns, created_ns, opened_ns, end_ns;
    double heap_bytes;
    double ended_share; /* of the tasks, when the last was created */
};

size_t bench_bytes(const struct micro_configuration *c)
{
    size_t each = sizeof(struct cell) + (size_t)2 * (PREDECESSORS + 1) * sizeof(size_t) +
                  TASK_BYTES + c->items * ITEM_BYTES;
    return saturating_multiply(c->tasks, each);
}

/* Addresses that nothing is stored at: they need no memory, but must belong to nobody else. */
static char *reserve_addresses(const struct micro_configuration *c, size_t bytes)
{
    void *memory = bytes < SIZE_MAX ? mmap(NULL, bytes, PROT_NONE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                    : MAP_FAILED;
    if (memory == MAP_FAILED)
        message_fatal(POLLUX_MACHINE,
                      "%s: %zu tasks with %zu items at a distance of %zu bytes need more "
                      "addresses than there are: choose fewer tasks or a smaller distance",
                      c->pattern->name, c->tasks, c->items, c->distance);
    return memory;
}

void bench_require_addresses(const struct micro_configuration *c)
{
    const struct shape shape = pattern_shape(c->pattern, c->tasks, c->items, 0);
    size_t bytes = saturating_multiply(c->pattern->addresses(&shape), c->distance);
    munmap(reserve_addresses(c, bytes), bytes);
}

struct bench *bench_create(const struct micro_configuration *c, uint64_t seed)
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct cell *cells = bench ? aligned_alloc(sizeof *cells, c->tasks * sizeof *cells) : NULL;
    if (!cells)
        message_fatal(POLLUX_MACHINE, "no memory for %zu tasks", c->tasks);
    bench->configuration = *c;
    bench->shape = pattern_shape(c->pattern, c->tasks, c->items, seed);
    bench->graph = graph_create(c->tasks);
    c->pattern->define(&bench->shape, &bench->graph);
    bench->address_bytes = saturating_multiply(c->pattern->addresses(&bench->shape), c->distance);
    bench->run = (struct run){.shape = &bench->shape,
                              .graph = &bench->graph,
                              .cells = cells,
                              .address = reserve_addresses(c, bench->address_bytes),
                              .distance = c->distance};
    if (c->pattern->prepare)
        bench->run.prepared = c->pattern->prepare(&bench->run);
    run_reset(&bench->run);
    return bench;
}

void bench_destroy(struct bench *bench)
{
    if (bench->run.prepared)
        bench->configuration.pattern->release(bench->run.prepared);
    munmap(bench->run.address, bench->address_bytes);
    graph_destroy(&bench->graph);
    free(bench->run.cells);
    free(bench);
}

/* Bytes that malloc has given out. */
static double heap_bytes(void)
{
    struct mallinfo2 heap = mallinfo2();
    return (double)heap.uordblks + (double)heap.hblkhd;
}

static void submit(void *argument)
{
    struct pass *pass = argument;
    struct bench *bench = pass->bench;
    const struct pattern *pattern = bench->configuration.pattern;
    struct run *run = &bench->run;
    run->creator = omp_get_thread_num();
    if (pass->gated) {
        gate_create(run, pattern->roots(&bench->shape));
        run_await_holder(run);
    }
    double heap = pass->weighed ? heap_bytes() : 0.0;
    pass->begin_ns = now_ns(CLOCK_MONOTONIC);
    pattern->create(run);
    pass->created_ns = now_ns(CLOCK_MONOTONIC);
    pass->ended_share = pass->gated ? 0.0 : run_ended_share(run);
    pass->heap_bytes = pass->weighed ? heap_bytes() - heap : 0.0;
    pass->opened_ns = now_ns(CLOCK_MONOTONIC);
    run_open(run);
}

/* Runs a pass; the cells keep what its tasks noted. */
static void run_pass(struct pass *pass, bool timed)
{
    struct bench *bench = pass->bench;
    size_t threads = bench->configuration.threads;
    run_reset(&bench->run);
    bench->run.open = !pass->gated;
    bench->run.timed = timed;
    struct team_run team = team_time(threads, submit, pass, NULL);
    if (team.threads != threads)
        message_fatal(POLLUX_MACHINE,
                      "the runtime gave %zu of %zu threads: raise OMP_THREAD_LIMIT, or "
                      "request fewer with --threads",
                      team.threads, threads);
    pass->end_ns = team.end_ns;
}

/* Looks at what the pass left behind; the first fault of a repetition is kept. */
static void check(struct repetition *r, struct bench *bench)
{
    struct run *run = &bench->run;
    if (run_passed(run) || !r->passed)
        return;
    r->passed = false;
    if (run->faults == 0)
        snprintf(r->fault, sizeof r->fault, "two tasks ran at once that exclude each other");
    else if (run->faulty != run->missing)
        snprintf(r->fault, sizeof r->fault,
                 "task %zu did not wait for task %zu (%zu tasks were wrong)", run->faulty,
                 run->missing, run->faults);
    else
        snprintf(r->fault, sizeof r->fault,
                 "task %zu did not run exactly once (%zu tasks were wrong)", run->faulty,
                 run->faults);
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
    if (!bench->run.early)
        return true;
    lack_all(&r->terms, RAN_EARLY);
    return false;
}

static double creation_ns(const struct pass *pass)
{
    return (double)(pass->created_ns - pass->begin_ns);
}

/* The time to create a task with so many items each behind a gate; NaN where tasks ran early. */
static double creation_with_items(struct bench *bench, size_t items, struct repetition *r)
{
    struct pass pass = {.bench = bench, .gated = true};
    bench->shape.items = items;
    run_pass(&pass, false);
    check(r, bench);
    bench->shape.items = bench->configuration.items;
    return bench->run.early ? NAN : creation_ns(&pass) / (double)bench->shape.tasks;
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
    struct pass pass = {.bench = bench, .gated = true};
    run_pass(&pass, false);
    check(r, bench);
    if (!gate_held(bench, r))
        return;
    r->created_ns = creation_ns(&pass);
    r->emptied_ns = (double)(pass.end_ns - pass.opened_ns);
    terms_know(&r->terms, TERM_CREATION, r->created_ns / (double)bench->shape.tasks);
}

static void measure_release(struct bench *bench, double clock_ns, struct repetition *r)
{
    struct pass pass = {.bench = bench, .gated = true};
    run_pass(&pass, true);
    check(r, bench);
    if (!gate_held(bench, r))
        return;
    terms_know(&r->terms, TERM_COMPLETION, completion_ns(&bench->run, pass.end_ns, clock_ns));
    if (graph_edges(&bench->graph) > 0)
        terms_know(&r->terms, TERM_RELEASE, release_ns(&bench->run, clock_ns));
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
    struct run *run = &bench->run;
    run_reset(run);
    run->open = 1;
    run->timed = false;
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    call_tasks(bench->configuration.pattern, run);
    r->body_ns = (double)(now_ns(CLOCK_MONOTONIC) - begin) / (double)bench->shape.tasks;
}

static struct pass run_open_pass(struct bench *bench, struct repetition *r)
{
    struct pass pass = {.bench = bench};
    run_pass(&pass, false);
    check(r, bench);
    return pass;
}

/* The first pass finds colder caches than the second: they take turns. */
static struct pass measure_ungated(struct bench *bench, struct repetition *r)
{
    bool second = bench->repetitions++ % 2 != 0;
    struct pass one = run_open_pass(bench, r), two = run_open_pass(bench, r);
    const struct pass *ungated = second ? &two : &one;
    r->ungated_ns = (double)(ungated->end_ns - ungated->begin_ns);
    return second ? one : two;
}

/* Creation without a gate, and what then is left: the share of the tasks that had not ended, each taking the time
 * that a task takes once all are created. The sum predicts the time of a pass that is not part of either. */
static void split_open_pass(const struct pass *pass, struct repetition *r)
{
    r->open_created_ns = creation_ns(pass);
    r->left_ns = pass->ended_share < 1.0 ? (1.0 - pass->ended_share) * r->emptied_ns : 0.0;
}

/* What ran in a wrong order has no time. */
static void forget_times(struct repetition *r)
{
    r->ungated_ns = r->created_ns = r->emptied_ns = NAN;
    r->open_created_ns = r->left_ns = NAN;
    lack_all(&r->terms, "tasks ran in a wrong order");
}

void bench_set_work(struct bench *bench, void (*work)(void *argument), void *argument)
{
    bench->run.work = work;
    bench->run.work_argument = argument;
}

double bench_attainable(const struct bench *bench)
{
    size_t threads = bench->configuration.threads, tasks = bench->graph.tasks;
    size_t rounds = larger(graph_longest_path(&bench->graph), ceiling(tasks, threads));
    return (double)tasks / ((double)threads * (double)rounds);
}

void bench_pass(struct bench *bench, struct repetition *r)
{
    struct pass ungated = run_open_pass(bench, r);
    r->ungated_ns = (double)(ungated.end_ns - ungated.begin_ns);
}

struct repetition bench_repeat(struct bench *bench, double clock_ns)
{
    struct repetition r = {.passed = true, .created_ns = NAN, .emptied_ns = NAN};
    r.start_unix_ns = now_ns(CLOCK_REALTIME);
    measure_body(bench, &r);
    struct pass open = measure_ungated(bench, &r);
    if (bench->configuration.pattern->roots)
        measure_creation(bench, &r);
    else
        lack_all(&r.terms, bench->configuration.pattern->ungated);
    if (!r.terms.reason[TERM_CREATION]) {
        measure_release(bench, clock_ns, &r);
        measure_items(bench, &r);
    }
    split_open_pass(&open, &r);
    if (!r.passed)
        forget_times(&r);
    r.end_unix_ns = now_ns(CLOCK_REALTIME);
    return r;
}

double bench_task_bytes(struct bench *bench, const char **reason)
{
    struct repetition r = {.passed = true};
    struct pass pass = {.bench = bench, .gated = true, .weighed = true};
    *reason = bench->configuration.pattern->ungated;
    if (*reason)
        return NAN;
    run_pass(&pass, false);
    if (!gate_held(bench, &r))
        *reason = RAN_EARLY;
    else if (pass.heap_bytes <= 0.0)
        *reason = "the runtime took it from memory that it already had";
    return *reason ? NAN : pass.heap_bytes / (double)bench->shape.tasks;
}
