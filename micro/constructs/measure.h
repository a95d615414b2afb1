/* SPDX-License-Identifier: BSD-3-Clause
 * One repetition of a construct: a test, the same work without the construct, and a pass that is checked. */
#ifndef POLLUX_MICRO_CONSTRUCTS_MEASURE_H
#define POLLUX_MICRO_CONSTRUCTS_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "micro/constructs/construct.h"

struct construct_configuration {
    const struct construct *construct;
    size_t threads;
    size_t inner;       /**< executions in a row; 0: as many as take `test_ns` */
    double test_ns;     /**< what a test takes at least */
    size_t delay_steps; /**< of construct_delay_steps */
};

/** Times of one execution in ns, the delay included. */
enum construct_term { CONSTRUCT_TEST, CONSTRUCT_REFERENCE, CONSTRUCT_TERMS };

extern const char *const construct_term_names[CONSTRUCT_TERMS];

enum { CONSTRUCT_FAULT_SIZE = 160 };

struct construct_repetition {
    double overhead_ns;         /**< of an execution; NaN where a check failed */
    double ns[CONSTRUCT_TERMS]; /**< the same */
    bool passed;
    char fault[CONSTRUCT_FAULT_SIZE]; /**< what the construct did wrong; empty where passed */
};

/** The memory of one configuration. */
struct construct_bench;

/** Steps of a delay of so many nanoseconds, one at least. */
size_t construct_delay_steps(double ns);

/** Reserves everything for a configuration, and chooses `inner` where that is to be done. Ends the program with
 * POLLUX_MACHINE if out of memory, or where the runtime gives fewer threads. */
struct construct_bench *construct_bench_create(const struct construct_configuration *c);

void construct_bench_destroy(struct construct_bench *bench);

/** Executions in a row, as they were chosen. */
size_t construct_bench_inner(const struct construct_bench *bench);

struct construct_repetition construct_bench_repeat(struct construct_bench *bench);

#endif
