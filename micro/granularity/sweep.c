/* SPDX-License-Identifier: BSD-3-Clause
 * The reference of a grain is measured right before its tasks, so that both see the same machine. */
#include "micro/granularity/sweep.h"

#include "common/base/clock.h"
#include "common/base/statistics.h"

/* A batch of calls takes this time at least, but for those of a single call. */
enum { BATCHES = 15, BATCH_NS = 20000 };

struct curve_point sweep_point(const struct sweep *sweep, size_t grain, double elapsed_ns,
                               double reference_ns)
{
    double each = elapsed_ns / (double)sweep->tasks;
    double granularity = each * (double)sweep->threads;
    return (struct curve_point){.grain = grain,
                                .ns_per_task = each,
                                .granularity_ns = granularity,
                                .reference_ns = reference_ns,
                                .efficiency = reference_ns / granularity,
                                .efficiency_best =
                                    work_units(sweep->kind, grain) * sweep->unit_ns / granularity};
}

/* The mean of a batch of calls. */
static double batch_ns(const struct sweep *sweep, size_t calls)
{
    int64_t begin = now_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < calls; i++)
        work_run(sweep->work);
    return (double)(now_ns(CLOCK_MONOTONIC) - begin) / (double)calls;
}

/* One call on one thread: the median of some batches, so that an interruption does not count. */
static double reference_ns(const struct sweep *sweep)
{
    double batches[BATCHES];
    size_t calls = 1;
    while (batch_ns(sweep, calls) * (double)calls < (double)BATCH_NS)
        calls *= 2;
    for (size_t i = 0; i < BATCHES; i++)
        batches[i] = batch_ns(sweep, calls);
    return median(batches, BATCHES);
}

struct repetition sweep_repeat(const struct sweep *sweep, struct curve_point *curve)
{
    struct repetition r = {.passed = true};
    bench_set_work(sweep->bench, work_run, sweep->work);
    for (size_t i = 0; i < sweep->count; i++) {
        work_set_grain(sweep->work, sweep->grains[i]);
        double reference = reference_ns(sweep);
        bench_pass(sweep->bench, &r);
        curve[i] = sweep_point(sweep, sweep->grains[i], r.ungated_ns, reference);
    }
    return r;
}
