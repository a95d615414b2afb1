/* SPDX-License-Identifier: BSD-3-Clause
 * The processors that the process was started on. Runtimes and BLAS libraries may bind the first thread
 * before main begins; a process that restarts itself would inherit that binding. */
#ifndef POLLUX_COMMON_AFFINITY_H
#define POLLUX_COMMON_AFFINITY_H

#include <sched.h>
#include <stddef.h>

/** So many sets hold 8192 processors. */
enum { AFFINITY_SETS = 8 };

/** Number of logical processors that the process was started on. */
size_t affinity_initial_count(void);

/** They themselves: AFFINITY_SETS sets. */
const cpu_set_t *affinity_initial(void);

/** Lets the calling thread run on all of them again. */
void affinity_restore(void);

#endif
