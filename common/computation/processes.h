/* SPDX-License-Identifier: BSD-3-Clause
 * A computation whose run is spread over several processes (common/run/processes.h). */
#ifndef POLLUX_COMPUTATION_PROCESSES_H
#define POLLUX_COMPUTATION_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/driver/program.h"

struct variant;

/** Whether a variant can run in several processes of the teams requested; it can where the run is one process.
 * @param[out] reason of that size: why not */
bool processes_allow(const struct variant *variant, char *reason, size_t size);

/** Joins the others; only one of them reports, so that the options of the rest name no output. */
void processes_join(struct program_options *given);

#endif
