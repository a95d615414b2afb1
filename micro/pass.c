/* SPDX-License-Identifier: BSD-3-Clause
 * Several creators begin at the same time, and open their gates when the last of them has created its tasks. They wait
 * for each other without the runtime: at a barrier it could let them run the tasks that hold the gates. */
#include "micro/pass.h"

#include <malloc.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/execution/team.h"
#include "micro/gate.h"

/* What one creator does in a pass. */
struct share {
    int64_t begin_ns, created_ns, opened_ns, end_ns;
    double heap_bytes, ended_share;
};

struct work {
    struct bench *bench;
    struct pass_choice choice;
    struct share *shares;
    size_t arrived; /* creators, once for each time that they wait for each other */
};

/* Bytes that malloc has given out; NaN where the C library does not tell. */
static double heap_bytes(void)
{
#ifdef POLLUX_HAVE_MALLINFO2
    struct mallinfo2 heap = mallinfo2();
    return (double)heap.uordblks + (double)heap.hblkhd;
#else
    return NAN;
#endif
}

/* Waits until all creators have come here for the time number `meeting`, from 1. */
static void meet(struct work *work, size_t meeting)
{
    size_t all = meeting * work->bench->configuration.creators;
    __atomic_add_fetch(&work->arrived, 1, __ATOMIC_SEQ_CST);
    for (int round = 0; __atomic_load_n(&work->arrived, __ATOMIC_SEQ_CST) < all;)
        round = run_pause(round);
}

static void close_gate(const struct work *work, struct run *run)
{
    const struct micro_configuration *c = &work->bench->configuration;
    gate_create(run, c->pattern->roots(&work->bench->shape));
    if (c->threads >= 2 * c->creators)
        run_await_holder(run);
}

static void open_gate(struct work *work, size_t creator)
{
    meet(work, 2);
    work->shares[creator].opened_ns = now_ns(CLOCK_MONOTONIC);
    run_open(&work->bench->runs[creator]);
}

static void create_share(struct work *work, size_t creator)
{
    const struct pass_choice *choice = &work->choice;
    struct run *run = &work->bench->runs[creator];
    struct share *share = &work->shares[creator];
    run->creator = omp_get_thread_num();
    if (choice->gated)
        close_gate(work, run);
    meet(work, 1);
    double heap = choice->weighed ? heap_bytes() : 0.0;
    share->begin_ns = now_ns(CLOCK_MONOTONIC);
    work->bench->configuration.pattern->create(run);
    share->created_ns = now_ns(CLOCK_MONOTONIC);
    share->ended_share = choice->sampled ? run_ended_share(run) : 0.0;
    share->heap_bytes = choice->weighed ? heap_bytes() - heap : 0.0;
    if (choice->gated)
        open_gate(work, creator);
}

static void create_all(void *argument)
{
    create_share(argument, 0);
}

/* On every thread of the team: the first ones create, the others come to its end and run tasks. */
static void create_as_one_of_many(void *argument, size_t thread)
{
    struct work *work = argument;
    const struct micro_configuration *c = &work->bench->configuration;
    if (thread >= c->creators || (size_t)omp_get_num_threads() != c->threads)
        return;
    create_share(work, thread);
    gate_wait_for_tasks();
    work->shares[thread].end_ns = now_ns(CLOCK_MONOTONIC);
}

/* @return the threads of the team */
static size_t run_team(struct work *work)
{
    const struct micro_configuration *c = &work->bench->configuration;
    if (c->creators > 1)
        return team_each(c->threads, create_as_one_of_many, work);
    struct team_run team = team_time(c->threads, create_all, work, NULL);
    work->shares[0].end_ns = team.end_ns;
    return team.threads;
}

static struct pass sum_of(const struct share *shares, size_t count)
{
    struct pass pass = {.begin_ns = INT64_MAX};
    for (size_t i = 0; i < count; i++) {
        const struct share *s = &shares[i];
        pass.begin_ns = s->begin_ns < pass.begin_ns ? s->begin_ns : pass.begin_ns;
        pass.created_ns = later(pass.created_ns, s->created_ns);
        pass.opened_ns = later(pass.opened_ns, s->opened_ns);
        pass.end_ns = later(pass.end_ns, s->end_ns);
        pass.creating_ns += (double)(s->created_ns - s->begin_ns);
        pass.heap_bytes += s->heap_bytes;
        pass.ended_share += s->ended_share / (double)count;
    }
    return pass;
}

struct pass pass_run(struct bench *bench, struct pass_choice choice)
{
    const struct micro_configuration *c = &bench->configuration;
    struct work work = {.bench = bench, .choice = choice};
    work.shares = zeros_for(c->creators, sizeof *work.shares, "%zu creators", c->creators);
    for (size_t i = 0; i < c->creators; i++) {
        run_reset(&bench->runs[i]);
        bench->runs[i].open = !choice.gated;
        bench->runs[i].timed = choice.timed;
    }
    size_t threads = run_team(&work);
    team_require_given(threads, c->threads);
    struct pass pass = sum_of(work.shares, c->creators);
    free(work.shares);
    return pass;
}
