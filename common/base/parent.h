/* SPDX-License-Identifier: BSD-3-Clause
 * Ends the process with the one that started it. */
#ifndef POLLUX_COMMON_PARENT_H
#define POLLUX_COMMON_PARENT_H

/** The environment variable with the number of the process that this one is not to outlive. */
#define PARENT_VARIABLE "POLLUX_PARENT"

/** Heeds the variable, and removes it; called before main. */
void parent_follow(void);

#endif
