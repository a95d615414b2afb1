/* SPDX-License-Identifier: BSD-3-Clause
 * The environment variables that influence OpenMP runtimes and BLAS: recorded as the user set
 * them, and changed where a run needs it. Runtimes and OpenBLAS read them before main begins, so
 * after a change the program has to restart itself. */
#ifndef POLLUX_COMMON_ENVIRONMENT_H
#define POLLUX_COMMON_ENVIRONMENT_H

#include <jansson.h>

#include "common/base/restart.h"

/** Restarts the program in this process with these settings; ends it with one line and POLLUX_MACHINE if that
 * cannot be.
 * @param[in] settings ended by a NULL name */
_Noreturn void environment_restart(char **argv, const struct setting *settings);

/** The variables as found when the user started the program: OMP_, GOMP_, KMP_, LIBOMP_, ABT_,
 * NX_, OPENBLAS_ and those that choose libraries. */
json_t *environment_found(void);

/** The variables that the program set for itself, with their values. */
json_t *environment_set(void);

/** Removes the marks of a restart, so that child processes do not inherit them. */
void environment_forget(void);

#endif
