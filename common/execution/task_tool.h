/* SPDX-License-Identifier: BSD-3-Clause
 * The OMPT tool of common/ompt/, which the runtime loads where OMP_TOOL_LIBRARIES names it. */
#ifndef POLLUX_COMMON_TASK_TOOL_H
#define POLLUX_COMMON_TASK_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/identity/runtime_identity.h"
#include "common/ompt/tool.h"

/** Checks that the runtime supports tools and that this build has the tool. Ends the program with
 * POLLUX_MACHINE if not.
 * @param[in] option what needs it, for the message */
void task_tool_check(const struct runtime_identity *runtime, const char *option);

/** The value of OMP_TOOL_LIBRARIES that loads the tool before others that the user named; NULL if
 * the variable already has it. */
const char *task_tool_needed_setting(char *text, size_t size);

/** The tool that the runtime has loaded; starts the runtime. Ends the program with POLLUX_MACHINE
 * if there is none, or if the runtime does not report tasks and dependences to it. */
const struct ompt_tool *task_tool_find(const struct runtime_identity *runtime);

#endif
