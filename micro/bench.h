/* SPDX-License-Identifier: BSD-3-Clause
 * The memory of one configuration: an instance of the pattern for each thread that creates tasks. */
#ifndef POLLUX_MICRO_BENCH_H
#define POLLUX_MICRO_BENCH_H

#include "micro/measure.h"
#include "micro/run.h"

struct bench {
    struct micro_configuration configuration;
    struct shape shape; /**< of each instance */
    struct graph graph; /**< likewise */
    struct run *runs;   /**< the instances: configuration.creators of them */
    size_t address_bytes;
    size_t repetitions; /**< so far */
};

/** Whether a task of any instance ran while its gate was closed. */
bool bench_ran_early(const struct bench *bench);

/** Checks every instance; the first fault is kept in the repetition. */
void bench_check(struct bench *bench, struct repetition *r);

#endif
