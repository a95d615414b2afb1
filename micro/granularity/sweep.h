/* SPDX-License-Identifier: BSD-3-Clause
 * One repetition: the efficiency of a pattern for each grain. */
#ifndef POLLUX_MICRO_SWEEP_H
#define POLLUX_MICRO_SWEEP_H

#include "micro/granularity/metg.h"
#include "micro/granularity/work.h"
#include "micro/measure.h"

/** What is swept. */
struct sweep {
    struct bench *bench;
    struct work *work;
    enum work_kind kind;
    size_t tasks, threads;
    size_t count, grains[GRAINS_MAX];
    double unit_ns; /**< another runtime's time of a multiply-add; NaN: not given */
};

/** The point of the curve that follows from what was measured.
 * @param[in] elapsed_ns   of all tasks
 * @param[in] reference_ns of one call on one thread */
struct curve_point sweep_point(const struct sweep *sweep, size_t grain, double elapsed_ns,
                               double reference_ns);

/** Runs all grains, each after its reference.
 * @param[out] curve one point for each grain
 * @return a fault, where there is one */
struct repetition sweep_repeat(const struct sweep *sweep, struct curve_point *curve);

#endif
