/* SPDX-License-Identifier: BSD-3-Clause
 * Writes the task graph of a configuration as the runtime receives it, schema pollux-graph/1
 * (docs/traces.md). */
#ifndef POLLUX_COMMON_GRAPH_FILE_H
#define POLLUX_COMMON_GRAPH_FILE_H

#include <jansson.h>

#include "common/ompt/tool.h"
#include "common/output/event_file.h"
#include "common/run/run.h"

/** Creates the tasks of a configuration on one thread, with kernels that do not compute, and appends
 * what the runtime and the kernels report. Ends the program with POLLUX_MACHINE if out of memory.
 * @param[in] identity members of the header that describe the source; borrowed */
void graph_write(struct event_file *file, const struct configuration *c,
                 const struct ompt_tool *tool, json_t *identity);

#endif
