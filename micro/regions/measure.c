/* SPDX-License-Identifier: BSD-3-Clause
 * A round that is not timed comes first, in which the runtime may start its threads. The clock is read after every
 * round, so that slow regions end the timing after one round, and fast ones are timed thousands of times. Cells are
 * read and written as atomics: a runtime that runs an iteration twice is to be found, not to be undefined. */
#include "micro/regions/measure.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/sizes.h"
#include "common/execution/task_memory.h"
#include "micro/regions/work.h"

enum { ROUNDS_MAX = 1 << 20 };

struct regions_bench {
    struct regions_configuration configuration;
    struct loops loops;
    size_t *cycles;
};

static size_t fewer(size_t known, size_t found)
{
    return known == 0 || found < known ? found : known;
}

void loops_note_outer_team(struct loops *loops)
{
    size_t known = __atomic_load_n(&loops->given, __ATOMIC_RELAXED);
    __atomic_store_n(&loops->given, fewer(known, (size_t)omp_get_num_threads()), __ATOMIC_RELAXED);
}

void loops_note_inner_team(struct loops *loops, size_t i)
{
    struct outer_cell *cell = &loops->outers[i];
    size_t known = __atomic_load_n(&cell->fewest, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->fewest, fewer(known, (size_t)omp_get_num_threads()), __ATOMIC_RELAXED);
}

void loops_iterate(struct loops *loops, size_t i, size_t j)
{
    struct inner_cell *cell = &loops->cells[i * loops->inner + j];
    size_t before = __atomic_load_n(&cell->executions, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->executions, before + 1, __ATOMIC_RELAXED);
    if (loops->cycles[i] > 0)
        work_for(loops->cycles[i]);
}

/* Inner iterations of an outer one. */
static size_t inner_of(const struct regions_configuration *c)
{
    return c->form->flat ? 1 : c->inner;
}

struct regions_levels regions_requested(const struct regions_configuration *c)
{
    size_t iterations = saturating_multiply(c->outer, inner_of(c));
    if (c->form->flat)
        return (struct regions_levels){.outer = c->outer};
    if (c->form->regions)
        return (struct regions_levels){.outer = c->outer, .inner = c->inner};
    return (struct regions_levels){.outer = smaller(iterations, c->processors)};
}

/* A region of one thread is not active: it does not count. */
struct regions_levels regions_allowed(const struct regions_configuration *c)
{
    struct regions_levels levels = regions_requested(c);
    size_t active = c->active_levels;
    if (active == 0)
        levels.outer = 1;
    else if (levels.outer > 1)
        active--;
    if (active == 0 && levels.inner > 1)
        levels.inner = 1;
    return levels;
}

size_t regions_all_threads(const struct regions_configuration *c)
{
    struct regions_levels levels = regions_allowed(c);
    return saturating_multiply(levels.outer, larger(levels.inner, 1));
}

/* Each thread waits for the tasks of an outer iteration before the next. */
static size_t waiting_tasks(const struct regions_configuration *c)
{
    bool tasks = !c->form->flat && !c->form->regions;
    return tasks ? saturating_multiply(regions_requested(c).outer, c->inner) : 0;
}

size_t regions_bytes(const struct regions_configuration *c)
{
    size_t cells = saturating_multiply(c->outer, inner_of(c));
    size_t outers = saturating_multiply(c->outer, sizeof(struct outer_cell) + sizeof(size_t));
    size_t tasks = saturating_multiply(waiting_tasks(c), TASK_BYTES + ITEM_BYTES);
    size_t loops = saturating_add(saturating_multiply(cells, sizeof(struct inner_cell)), outers);
    return saturating_add(loops, tasks);
}

struct regions_bench *regions_create(const struct regions_configuration *c)
{
    size_t inner = inner_of(c);
    struct regions_bench *bench =
        zeros_for(1, sizeof *bench, "%zu x %zu iterations", c->outer, inner);
    bench->configuration = *c;
    bench->cycles =
        zeros_for(c->outer, sizeof *bench->cycles, "%zu x %zu iterations", c->outer, inner);
    bench->loops = (struct loops){
        .outer = c->outer,
        .inner = inner,
        .team = regions_requested(c).outer,
        .cycles = bench->cycles,
        .cells = aligned_alloc(REGIONS_LINE, c->outer * inner * sizeof(struct inner_cell)),
        .outers = aligned_alloc(REGIONS_LINE, c->outer * sizeof(struct outer_cell))};
    if (!bench->loops.cells || !bench->loops.outers)
        message_fatal(POLLUX_MACHINE, "no memory for %zu x %zu iterations", c->outer, inner);
    work_distribute(c->seed, c->alpha, c->work, c->outer, bench->cycles);
    return bench;
}

void regions_destroy(struct regions_bench *bench)
{
    free(bench->loops.cells);
    free(bench->loops.outers);
    free(bench->cycles);
    free(bench);
}

const struct regions_configuration *regions_configuration_of(const struct regions_bench *bench)
{
    return &bench->configuration;
}

/* Calls a function again and again until the span is over.
 * @return the time of one call */
static double time_rounds(struct regions_bench *bench, void (*run)(struct loops *loops),
                          size_t *rounds)
{
    int64_t begin = now_ns(CLOCK_MONOTONIC), end = begin;
    size_t count = 0;
    while (count == 0 ||
           (count < ROUNDS_MAX && (double)(end - begin) < bench->configuration.span_ns)) {
        run(&bench->loops);
        count++;
        end = now_ns(CLOCK_MONOTONIC);
    }
    *rounds = count;
    return (double)(end - begin) / (double)count - bench->configuration.clock_ns;
}

static void reset(struct regions_bench *bench)
{
    struct loops *loops = &bench->loops;
    memset(loops->cells, 0, loops->outer * loops->inner * sizeof *loops->cells);
    memset(loops->outers, 0, loops->outer * sizeof *loops->outers);
    loops->given = 0;
}

static struct regions_levels levels_given(const struct regions_bench *bench)
{
    struct regions_levels given = {.outer = bench->loops.given};
    for (size_t i = 0; i < bench->loops.outer && bench->configuration.form->regions; i++)
        given.inner = fewer(given.inner, bench->loops.outers[i].fewest);
    return given;
}

/* Where settings allow fewer threads than requested, those are expected. */
static void check_levels(const struct regions_configuration *c, struct regions_levels given,
                         struct result *result)
{
    struct regions_levels allowed = regions_allowed(c);
    if (given.outer != allowed.outer)
        result_fail(result, "the runtime gave the outer region %zu of %zu threads", given.outer,
                    allowed.outer);
    if (given.inner < allowed.inner)
        result_fail(result, "not nested: the runtime gave inner regions %zu of %zu threads",
                    given.inner, allowed.inner);
    if (given.inner > allowed.inner)
        result_fail(result,
                    "the runtime gave inner regions %zu threads where its settings allow %zu",
                    given.inner, allowed.inner);
}

static void check_iterations(const struct regions_bench *bench, size_t rounds,
                             struct result *result)
{
    const struct loops *loops = &bench->loops;
    for (size_t k = 0; k < loops->outer * loops->inner; k++)
        if (loops->cells[k].executions != rounds) {
            result_fail(result,
                        "inner iteration %zu of outer iteration %zu ran %zu times in %zu rounds",
                        k % loops->inner, k / loops->inner, loops->cells[k].executions, rounds);
            return;
        }
}

struct regions_shown regions_repeat(struct regions_bench *bench, struct result *result)
{
    struct regions_shown shown;
    double *ns = result->value;
    const struct regions_configuration *c = &bench->configuration;
    size_t outer_rounds, loops = c->form->flat ? 1 : c->outer;
    double bound = work_bound(bench->cycles, c->outer, inner_of(c), c->processors);
    reset(bench);
    ns[REGIONS_IDEAL] = bound > 0.0 ? bound * work_cycle_ns() : 0.0;
    loops_run_outer(&bench->loops);
    ns[REGIONS_OUTER] = time_rounds(bench, loops_run_outer, &outer_rounds);
    c->form->run(&bench->loops);
    ns[REGIONS_REGION] = time_rounds(bench, c->form->run, &shown.rounds);
    shown.given = levels_given(bench);
    check_levels(c, shown.given, result);
    check_iterations(bench, shown.rounds + 1, result);
    ns[REGIONS_OVERHEAD] = (ns[REGIONS_REGION] - ns[REGIONS_IDEAL]) / (double)loops;
    return shown;
}
