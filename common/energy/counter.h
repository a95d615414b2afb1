/* SPDX-License-Identifier: BSD-3-Clause
 * From two readings of a counter to joules. */
#ifndef POLLUX_COMMON_COUNTER_H
#define POLLUX_COMMON_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/energy/zone.h"

/** What a zone showed. */
struct energy_count {
    uint64_t value;
    int error; /**< 0, the number of an error, or NOT_A_COUNT */
};

enum { NOT_A_COUNT = -1 };

/** Reads a zone with one system call. */
struct energy_count zone_read(const struct energy_zone *zone);

/** The energy between two readings. */
struct energy_difference {
    bool known;
    double joules;                   /**< at least 0; NaN if not known */
    char reason[ENERGY_REASON_SIZE]; /**< why it is not known, or "" */
};

/** The difference of two readings of a counter that are `seconds` apart, wraps included. It is not known if a
 * reading failed, if the counter fell and its range is not known, if it may have wrapped more often than can
 * be seen, and if it rose by more than such a zone can take. */
struct energy_difference zone_difference(const struct energy_zone *zone, struct energy_count begin,
                                         struct energy_count end, double seconds);

/** Shorter than this, the step of the counter shows: 50 steps, an error of up to 2 %. */
double zone_shortest_seconds(const struct energy_zone *zone);

#endif
