/* SPDX-License-Identifier: BSD-3-Clause
 * The stacks that a runtime gives its threads. */
#ifndef POLLUX_COMMON_RUNTIME_STACK_H
#define POLLUX_COMMON_RUNTIME_STACK_H

#include <stddef.h>

#include "common/identity/runtime_identity.h"

/** Bytes of the stack of each thread but the first: as OMP_STACKSIZE, GOMP_STACKSIZE or KMP_STACKSIZE
 * say, or the runtime's default. */
size_t runtime_stack_bytes(const struct runtime_identity *runtime);

/** Ends the program with one line and POLLUX_USAGE if one of these variables makes stacks too small for
 * a thread to start: runtimes end the program then, with a message of another meaning. */
void runtime_stack_check(const struct runtime_identity *runtime);

#endif
