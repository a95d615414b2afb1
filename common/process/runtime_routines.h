/* SPDX-License-Identifier: BSD-3-Clause
 * Routines of OpenMP that some runtimes lack, with what their absence means. */
#ifndef POLLUX_COMMON_RUNTIME_ROUTINES_H
#define POLLUX_COMMON_RUNTIME_ROUTINES_H

#include <stdbool.h>

/** The greatest priority that has an effect; 0 where the runtime knows none. */
int runtime_max_task_priority(void);

/** False if the runtime says that threads may move; true if it binds them or does not tell. */
bool runtime_binds_threads(void);

/** Forbids the runtime to give fewer threads than asked for, where it can be told so. */
void runtime_keep_team_size(void);

#endif
