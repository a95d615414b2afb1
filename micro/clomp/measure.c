/* SPDX-License-Identifier: BSD-3-Clause
 * Each pass begins on an empty mesh with a cycle that is not timed, which moves the zones to where the schedule
 * uses them; the checks count its loops too. Barriers are checked in that cycle alone: they would take longer. */
#include "micro/clomp/measure.h"

#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/sizes.h"
#include "common/execution/team.h"
#include "micro/clomp/checks.h"

enum { CHECK_TEXT_SIZE = 140 };

/* At least: their time contains the begin and the end of a parallel region. */
enum { BARRIER_CYCLES = 100 };

enum { DEPOSITS = 1000000 }; /* in zones, in all loops of the same place in a cycle */

static const char IS_THE_BOUND[] = "best-case is the bound that others are compared with";
static const char NO_BARRIER[] = "the compiler has no parallel regions";
static const char COMPUTES_NOTHING[] = "a barrier alone computes nothing";

/* What the passes of a repetition share. */
struct passes {
    const struct clomp_configuration *configuration;
    struct clomp_run run;
    struct deposit_outcome *serial, *bound; /* of each partition */
    struct result *result;
};

size_t clomp_default_cycles(const struct clomp_schedule *schedule, const struct mesh_shape *shape)
{
    size_t deposits = saturating_multiply(saturating_multiply(shape->partitions, shape->zones),
                                          shape->flop_scale);
    size_t cycles = ceiling(DEPOSITS, deposits);
    return schedule->kind == CLOMP_NOTHING ? larger(cycles, BARRIER_CYCLES) : cycles;
}

static size_t loops_of(const struct passes *passes)
{
    return (passes->configuration->cycles + 1) * LOOPS_IN_CYCLE;
}

static void check(struct passes *passes, const struct clomp_schedule *schedule, bool reference)
{
    char fault[CHECK_TEXT_SIZE];
    const struct mesh *mesh = passes->run.mesh;
    size_t loops = loops_of(passes);
    bool right = true;
    if (schedule->kind == CLOMP_EXACT)
        right = outcomes_check(mesh, loops, reference ? NULL : passes->serial, fault, sizeof fault);
    if (schedule->kind == CLOMP_BOUND)
        right = outcomes_check_fixed(mesh, loops, passes->bound, fault, sizeof fault);
    if (schedule->kind == CLOMP_NOTHING)
        right = meetings_check(&passes->run, fault, sizeof fault);
    if (!right)
        result_fail(passes->result, "%s: %s", schedule->name, fault);
}

/* The deposit that the loops come close to. */
static double fixed_deposit(const struct mesh *mesh)
{
    return (1.0 + mesh->most_residue) / (double)mesh->shape.partitions;
}

/* Runs so many cycles of a schedule and checks it. @return the time of a loop in ns */
static double run_cycles(struct passes *passes, const struct clomp_schedule *schedule,
                         bool reference, size_t cycles)
{
    struct clomp_run *run = &passes->run;
    if (schedule->kind != CLOMP_NOTHING)
        mesh_reset(run->mesh);
    run->mesh->deposits.value = fixed_deposit(run->mesh);
    run->cycles = 1;
    run->meetings = (struct clomp_meetings){.checked = true};
    schedule->run(run);
    run->cycles = cycles;
    run->meetings.checked = false;
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    schedule->run(run);
    int64_t end = now_ns(CLOCK_MONOTONIC);
    check(passes, schedule, reference);
    return (double)(end - begin) / (double)(run->cycles * LOOPS_IN_CYCLE);
}

static double run_pass(struct passes *passes, const struct clomp_schedule *schedule, bool reference)
{
    return run_cycles(passes, schedule, reference, passes->configuration->cycles);
}

/* The deposit alone: the mesh stays as it is, and so does the number of deposits that it is compared with. */
static void deposit_loop(void *context)
{
    struct clomp_run *run = context;
    mesh_deposit(run->mesh);
    run->mesh->deposits.calculated--;
}

static double measure_deposit(struct passes *passes)
{
    struct clomp_run *run = &passes->run;
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    clomp_cycles(run->cycles, deposit_loop, run);
    return (double)(now_ns(CLOCK_MONOTONIC) - begin) / (double)(run->cycles * LOOPS_IN_CYCLE);
}

static void measure_serial(struct passes *passes)
{
    double *ns = passes->result->value;
    ns[CLOMP_SERIAL] = run_pass(passes, &clomp_serial, true);
    outcomes_read(passes->run.mesh, passes->serial);
    ns[CLOMP_DEPOSIT] = measure_deposit(passes);
    outcomes_of_fixed(passes->run.mesh, fixed_deposit(passes->run.mesh), loops_of(passes),
                      passes->bound);
}

static void measure_bound(struct passes *passes)
{
    double *ns = passes->result->value;
    ns[CLOMP_BEST_CASE] = run_pass(passes, &clomp_best_case, false) + ns[CLOMP_DEPOSIT];
}

/* What the schedule itself takes. The bound as a schedule has the deposit added too. */
static void measure_schedule(struct passes *passes)
{
    const struct clomp_schedule *schedule = passes->configuration->schedule;
    double *ns = passes->result->value;
    ns[CLOMP_LOOP] = run_pass(passes, schedule, false);
    if (schedule->kind == CLOMP_BOUND)
        ns[CLOMP_LOOP] += ns[CLOMP_DEPOSIT];
}

static void measure_barrier(struct passes *passes, const struct clomp_schedule *barrier,
                            size_t cycles)
{
    if (barrier->run)
        passes->result->value[CLOMP_BARRIER] = run_cycles(passes, barrier, false, cycles);
    else
        passes->result->reason[CLOMP_BARRIER] = NO_BARRIER;
}

static void measure_nothing_else(struct passes *passes)
{
    struct result *result = passes->result;
    measure_barrier(passes, passes->configuration->schedule, passes->configuration->cycles);
    result->value[CLOMP_LOOP] = result->value[CLOMP_BARRIER];
    result->reason[CLOMP_BEST_CASE] = COMPUTES_NOTHING;
    result->reason[CLOMP_SERIAL] = COMPUTES_NOTHING;
    result->reason[CLOMP_DEPOSIT] = COMPUTES_NOTHING;
}

static void measure_all(struct passes *passes, bool bound_first)
{
    measure_serial(passes);
    if (bound_first)
        measure_bound(passes);
    measure_schedule(passes);
    if (!bound_first)
        measure_bound(passes);
    measure_barrier(passes, &clomp_barrier, larger(passes->configuration->cycles, BARRIER_CYCLES));
}

/* A barrier alone is compared with nothing at all. */
static void find_overhead(struct passes *passes)
{
    const struct clomp_schedule *schedule = passes->configuration->schedule;
    double *ns = passes->result->value;
    if (schedule->kind == CLOMP_BOUND)
        passes->result->reason[CLOMP_OVERHEAD] = IS_THE_BOUND;
    else if (schedule->kind == CLOMP_NOTHING)
        ns[CLOMP_OVERHEAD] = ns[CLOMP_LOOP];
    else
        ns[CLOMP_OVERHEAD] = ns[CLOMP_LOOP] - ns[CLOMP_BEST_CASE];
}

void clomp_repeat(const struct clomp_configuration *c, bool bound_first, struct result *result)
{
    size_t partitions = c->shape.partitions;
    struct deposit_outcome *outcomes =
        zeros_for(partitions, 2 * sizeof *outcomes, "%zu partitions", partitions);
    struct mesh *mesh = mesh_create(&c->shape, c->threads);
    mesh->message = c->message;
    struct passes passes = {.configuration = c,
                            .run = {.mesh = mesh, .threads = c->threads},
                            .serial = outcomes,
                            .bound = outcomes + partitions,
                            .result = result};
    if (c->schedule->kind == CLOMP_NOTHING)
        measure_nothing_else(&passes);
    else
        measure_all(&passes, bound_first);
    find_overhead(&passes);
    mesh_destroy(mesh);
    free(outcomes);
}
