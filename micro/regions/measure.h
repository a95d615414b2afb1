/* SPDX-License-Identifier: BSD-3-Clause
 * One repetition of a configuration: the outer region alone, then the nested loops, each as often as a span of time
 * allows. */
#ifndef POLLUX_MICRO_REGIONS_MEASURE_H
#define POLLUX_MICRO_REGIONS_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "common/driver/result.h"
#include "micro/regions/form.h"

/** What is run. */
struct regions_configuration {
    const struct form *form;
    size_t outer, inner; /**< iterations of the loops, and threads of the regions */
    size_t work;         /**< mean cycles of an inner iteration */
    size_t alpha;        /**< how uneven it is; see work_distribute */
    uint64_t seed;
    size_t processors; /**< that the process has time for; teams for tasks are no larger */
    double span_ns;    /**< new rounds begin until so much time has passed */
    double clock_ns;   /**< one reading of the clock */
    size_t
        active_levels; /**< regions inside each other that may have several threads: what settings allow */
};

/** Threads of both levels; the inner ones are 0 where there is no inner region. */
struct regions_levels {
    size_t outer, inner;
};

/** The quantities, in ns (docs/nested.md): of one inner region or loop, and of a round. */
enum { REGIONS_OVERHEAD, REGIONS_OUTER, REGIONS_REGION, REGIONS_IDEAL };

/** What a repetition shows besides. */
struct regions_shown {
    size_t rounds;               /**< of the nested loops that were timed */
    struct regions_levels given; /**< the fewest threads that a region of each level had */
};

/** The memory of one configuration. */
struct regions_bench;

/** Threads that are asked for: those of nested regions as the configuration says; tasks run on a team of as many
 * threads as there are iterations in all, at most one for each processor. */
struct regions_levels regions_requested(const struct regions_configuration *c);

/** The same, but one thread where the settings allow no more. */
struct regions_levels regions_allowed(const struct regions_configuration *c);

/** Threads that exist at once. */
size_t regions_all_threads(const struct regions_configuration *c);

/** Bytes that a configuration needs; SIZE_MAX if that overflows. */
size_t regions_bytes(const struct regions_configuration *c);

/** Reserves everything. Ends the program with POLLUX_MACHINE if out of memory. */
struct regions_bench *regions_create(const struct regions_configuration *c);

void regions_destroy(struct regions_bench *bench);

const struct regions_configuration *regions_configuration_of(const struct regions_bench *bench);

/** @param[out] result the quantities, and the first thing that was wrong */
struct regions_shown regions_repeat(struct regions_bench *bench, struct result *result);

#endif
