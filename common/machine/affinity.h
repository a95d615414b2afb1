/* SPDX-License-Identifier: BSD-3-Clause
 * The processors that the process was started on. Runtimes and BLAS libraries may bind the first thread
 * before main begins; a process that restarts itself would inherit that binding. */
#ifndef POLLUX_COMMON_AFFINITY_H
#define POLLUX_COMMON_AFFINITY_H

#include <stddef.h>

/** Number of logical processors that the process was started on. */
size_t affinity_initial_count(void);

/** Lets the calling thread run on all of them again. */
void affinity_restore(void);

#endif
