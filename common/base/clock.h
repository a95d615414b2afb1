/* SPDX-License-Identifier: BSD-3-Clause
 * The time. */
#ifndef POLLUX_COMMON_CLOCK_H
#define POLLUX_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Nanoseconds of a clock: CLOCK_MONOTONIC for durations, CLOCK_REALTIME for dates. */
int64_t now_ns(clockid_t clock);

/** Seconds of CLOCK_MONOTONIC. */
double now_seconds(void);

#endif
