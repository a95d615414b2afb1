/* SPDX-License-Identifier: BSD-3-Clause
 * Routines of OpenMP that some runtimes lack, with what their absence means. */
#ifndef POLLUX_COMMON_RUNTIME_ROUTINES_H
#define POLLUX_COMMON_RUNTIME_ROUTINES_H

#include <stdbool.h>

/** The greatest priority that has an effect; 0 where the runtime knows none. */
int runtime_max_task_priority(void);

/** False if the runtime reports that threads may move; true if it binds them or reports nothing. */
bool runtime_binds_threads(void);

/** How many parallel regions inside each other can have more than one thread; INT_MAX where the runtime does not
 * report it. */
int runtime_active_levels(void);

/** The most threads of all teams together; INT_MAX where the runtime does not report it. */
int runtime_thread_limit(void);

/** Forbids the runtime to create smaller teams than requested, where it has a routine for that. */
void runtime_keep_team_size(void);

#endif
