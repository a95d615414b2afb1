/* SPDX-License-Identifier: BSD-3-Clause
 * The costs of costly.c, for what calls it on the way from a program to its runtime. */
#ifndef POLLUX_TESTS_DOUBLES_COSTLY_H
#define POLLUX_TESTS_DOUBLES_COSTLY_H

#include <stddef.h>

/** Waits as long as the creation of a task is to take longer. */
void add_creation(void);

/** Waits as long as these depend items are to take longer. */
void add_items(size_t items);

/** Waits as long as the release of a task's successors is to take longer. */
void add_release(void);

#endif
