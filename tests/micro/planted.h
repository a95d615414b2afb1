/* SPDX-License-Identifier: BSD-3-Clause
 * Patterns with a planted error. */
#ifndef POLLUX_TESTS_MICRO_PLANTED_H
#define POLLUX_TESTS_MICRO_PLANTED_H

#include "micro/pattern.h"

/** A chain whose tasks name no address, each pair of neighbours created in the wrong order. */
extern const struct pattern swapped;

/** Independent tasks that run when they are created, whether or not there is a gate. */
extern const struct pattern hasty;

/** The same in passes that take times alone; the number of items can be chosen. */
extern const struct pattern hasty_if_timed;

/** A chain whose last task is not created. */
extern const struct pattern incomplete;

#endif
