/* SPDX-License-Identifier: BSD-3-Clause
 * Finds the tool that the runtime has loaded, named by OMP_TOOL_LIBRARIES. */
#ifndef POLLUX_TESTS_OMPT_LOADED_H
#define POLLUX_TESTS_OMPT_LOADED_H

#include "common/ompt/tool.h"

/** The tool, or NULL, with the reason on standard output. */
const struct ompt_tool *loaded_tool(void);

#endif
