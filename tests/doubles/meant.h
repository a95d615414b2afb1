/* SPDX-License-Identifier: BSD-3-Clause
 * Restricts a double to one of several runtimes that a command compares.
 *
 *   POLLUX_DOUBLE_ONLY=patched   only where the path of the OpenMP runtime contains this; default: everywhere
 *
 * So a copy of a runtime's library under another path is a patched one, while both sides load the double. */
#ifndef POLLUX_TESTS_DOUBLES_MEANT_H
#define POLLUX_TESTS_DOUBLES_MEANT_H

#include <stdbool.h>

/** Whether the runtime of this process is to be changed. Links in its path are followed. */
bool runtime_is_meant(void);

#endif
