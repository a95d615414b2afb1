/* SPDX-License-Identifier: BSD-3-Clause
 * Writes a trace, schema pollux-trace/1 (docs/traces.md). */
#ifndef POLLUX_COMMON_TRACE_FILE_H
#define POLLUX_COMMON_TRACE_FILE_H

#include <jansson.h>

#include "common/execution/trace.h"
#include "common/output/event_file.h"
#include "common/run/run.h"

/** Appends the trace of one repetition.
 * @param[in] record        of the repetition; borrowed
 * @param[in] event_cost_ns the cost of tracing one kernel call */
void trace_write(struct event_file *file, const struct trace *trace, const struct problem *problem,
                 const struct benchmark *benchmark, const struct outcome *outcome, json_t *record,
                 double event_cost_ns);

#endif
