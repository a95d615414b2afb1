/* SPDX-License-Identifier: BSD-3-Clause
 * task-overhead as the driver sees it. */
#ifndef POLLUX_MICRO_PROGRAM_H
#define POLLUX_MICRO_PROGRAM_H

#include "common/driver/program.h"

extern const struct program task_overhead;

#endif
