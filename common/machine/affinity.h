/* SPDX-License-Identifier: BSD-3-Clause
 * The processors the process was given. Runtimes and BLAS libraries bind the first thread before
 * main begins; a process that starts itself once more would then pass that on. */
#ifndef POLLUX_COMMON_AFFINITY_H
#define POLLUX_COMMON_AFFINITY_H

#include <stddef.h>

/** Number of logical processors that the process was started on. */
size_t affinity_initial_count(void);

/** Lets the calling thread run on all of them again. */
void affinity_restore(void);

#endif
