/* SPDX-License-Identifier: BSD-3-Clause
 * Energy, power, temperatures and frequencies over time: the lines of a file of schema pollux-power/1
 * (docs/meters.md). */
#ifndef POLLUX_COMMON_TIMELINE_H
#define POLLUX_COMMON_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/energy/meter.h"
#include "common/energy/sensors.h"

struct timeline;

/** When a sample is taken. */
struct sample_time {
    int64_t unix_ns;      /**< CLOCK_REALTIME: what the file states */
    int64_t monotonic_ns; /**< CLOCK_MONOTONIC: what power is computed from */
};

/** What the first line states. */
struct timeline_choices {
    const char *host;
    int64_t start_unix_ns;
    double interval_ms, slow_interval_ms;
};

/** A timeline of what this meter and these sensors show; both are borrowed. Ends the program with POLLUX_MACHINE if
 * out of memory. */
struct timeline *timeline_create(const struct energy_meter *meter,
                                 const struct sensor_list *sensors);

void timeline_destroy(struct timeline *timeline);

/** Whether it has any column besides the time. */
bool timeline_has_columns(const struct timeline *timeline);

/** The two lines in front of the samples, with their line ends.
 * @return valid until the next call for this timeline */
const char *timeline_head(struct timeline *timeline, const struct timeline_choices *choices);

/** Reads everything and adds up.
 * @param[in] with_sensors temperatures and frequencies are read too
 * @return the line of the sample with its line end, valid until the next call for this timeline */
const char *timeline_sample(struct timeline *timeline, struct sample_time time, bool with_sensors);

#endif
