/* SPDX-License-Identifier: BSD-3-Clause
 * task-overhead as the driver sees it. */
#ifndef POLLUX_MICRO_TASK_OVERHEAD_H
#define POLLUX_MICRO_TASK_OVERHEAD_H

#include "common/driver/program.h"

extern const struct program task_overhead;

#endif
