/* SPDX-License-Identifier: BSD-3-Clause
 * Ends the process with the one that started it. */
#ifndef POLLUX_COMMON_PARENT_H
#define POLLUX_COMMON_PARENT_H

/** The environment variable with the process that this one is not to outlive. */
#define PARENT_VARIABLE "POLLUX_PARENT"

enum { PARENT_TEXT_SIZE = 96 };

/** The variable's value for a process beside this one, "NUMBER:BOOT:NAMESPACE". Launchers hand it on to other nodes and
 * into containers, where the number means nothing; there the value for it is another.
 * @param[out] text PARENT_TEXT_SIZE characters */
const char *parent_text(long process, char *text);

/** Heeds the variable, and removes it; called before main. */
void parent_follow(void);

#endif
