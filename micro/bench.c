/* SPDX-License-Identifier: BSD-3-Clause
 * Instances have addresses and marks of their own, and share shape and order. */
#include "micro/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/execution/task_memory.h"

/* Predecessors of a task in the pattern that has most of them. */
enum { PREDECESSORS = 6 };

static struct shape shape_of(const struct micro_configuration *c, uint64_t seed)
{
    struct shape shape = pattern_shape(c->pattern, c->tasks / c->creators, c->items, seed);
    shape.priorities = c->priorities;
    return shape;
}

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
    const struct shape shape = shape_of(c, 0);
    size_t bytes = saturating_multiply(c->pattern->addresses(&shape), c->distance);
    bytes = saturating_multiply(bytes, c->creators);
    munmap(reserve_addresses(c, bytes), bytes);
}

static struct run create_run(struct bench *bench)
{
    const struct micro_configuration *c = &bench->configuration;
    struct run run = {
        .shape = &bench->shape,
        .graph = &bench->graph,
        .cells = aligned_alloc(sizeof(struct cell), bench->shape.tasks * sizeof(struct cell)),
        .address = reserve_addresses(c, bench->address_bytes),
        .distance = c->distance};
    if (!run.cells)
        message_fatal(POLLUX_MACHINE, "no memory for %zu tasks", c->tasks);
    return run;
}

struct bench *bench_create(const struct micro_configuration *c, uint64_t seed)
{
    struct bench *bench = zeros_for(1, sizeof *bench, "%zu tasks", c->tasks);
    struct run *runs = zeros_for(c->creators, sizeof *runs, "%zu tasks", c->tasks);
    *bench = (struct bench){.configuration = *c, .shape = shape_of(c, seed), .runs = runs};
    bench->graph = graph_create(bench->shape.tasks);
    c->pattern->define(&bench->shape, &bench->graph);
    bench->address_bytes = saturating_multiply(c->pattern->addresses(&bench->shape), c->distance);
    for (size_t i = 0; i < c->creators; i++) {
        runs[i] = create_run(bench);
        if (c->pattern->prepare)
            runs[i].prepared = c->pattern->prepare(&runs[i]);
        run_reset(&runs[i]);
    }
    return bench;
}

void bench_destroy(struct bench *bench)
{
    for (size_t i = 0; i < bench->configuration.creators; i++) {
        struct run *run = &bench->runs[i];
        if (bench->configuration.pattern->release)
            bench->configuration.pattern->release(run->prepared);
        munmap(run->address, bench->address_bytes);
        free(run->cells);
    }
    graph_destroy(&bench->graph);
    free(bench->runs);
    free(bench);
}

void bench_set_work(struct bench *bench, void (*work)(void *argument), void *argument)
{
    for (size_t i = 0; i < bench->configuration.creators; i++) {
        bench->runs[i].work = work;
        bench->runs[i].work_argument = argument;
    }
}

double bench_attainable(const struct bench *bench)
{
    size_t threads = bench->configuration.threads, tasks = bench->configuration.tasks;
    size_t path =
        bench->configuration.pattern->one_at_a_time ? tasks : graph_longest_path(&bench->graph);
    size_t rounds = larger(path, ceiling(tasks, threads));
    return (double)tasks / ((double)threads * (double)rounds);
}

bool bench_ran_early(const struct bench *bench)
{
    bool early = false;
    for (size_t i = 0; i < bench->configuration.creators; i++)
        early = early || bench->runs[i].early;
    return early;
}

static void note_fault(const struct run *run, struct repetition *r)
{
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

void bench_check(struct bench *bench, struct repetition *r)
{
    for (size_t i = 0; i < bench->configuration.creators; i++)
        if (!run_passed(&bench->runs[i]) && r->passed)
            note_fault(&bench->runs[i], r);
}
