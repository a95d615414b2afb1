/* SPDX-License-Identifier: BSD-3-Clause
 * One repetition of a construct: a test, the same work without the construct, and a pass that is checked. */
#ifndef POLLUX_MICRO_CONSTRUCTS_MEASURE_H
#define POLLUX_MICRO_CONSTRUCTS_MEASURE_H

#include <stddef.h>

#include "common/driver/result.h"
#include "micro/constructs/construct.h"

struct construct_configuration {
    const struct construct *construct;
    size_t threads;
    size_t inner;       /**< executions in a row; 0: as many as take `test_ns` */
    double test_ns;     /**< what a test takes at least */
    size_t delay_steps; /**< of construct_delay_steps */
};

/** The quantities: of one execution in ns, those of test and reference with the delay. */
enum { CONSTRUCT_OVERHEAD, CONSTRUCT_TEST, CONSTRUCT_REFERENCE };

/** The memory of one configuration. */
struct construct_bench;

/** Steps of a delay of so many nanoseconds, one at least. */
size_t construct_delay_steps(double ns);

/** Reserves everything for a configuration, and chooses `inner` where that is to be done. Ends the program with
 * POLLUX_MACHINE if out of memory, or where the runtime gives fewer threads. */
struct construct_bench *construct_bench_create(const struct construct_configuration *c);

void construct_bench_destroy(struct construct_bench *bench);

/** Sets the quantities, the figure `executions`, and the first thing that the construct did wrong. */
void construct_bench_repeat(struct construct_bench *bench, struct result *result);

#endif
