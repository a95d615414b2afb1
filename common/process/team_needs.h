/* SPDX-License-Identifier: BSD-3-Clause
 * Whether a team of threads can be had here, and whether its times will be steady. */
#ifndef POLLUX_COMMON_TEAM_NEEDS_H
#define POLLUX_COMMON_TEAM_NEEDS_H

#include <stddef.h>

#include "common/process/setup.h"

/** Ends the program with one line and POLLUX_MACHINE where the system's limits do not allow a team of so many
 * threads and so much data. */
void team_require(const struct setup *setup, size_t threads, size_t data_bytes);

/** Warns of threads that take turns on the processors, or that may move. */
void team_warn(const struct setup *setup, size_t threads);

#endif
