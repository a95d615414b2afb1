/* SPDX-License-Identifier: BSD-3-Clause
 * The costs of costly.c, for what calls it on the way from a program to its runtime. */
#ifndef POLLUX_TESTS_DOUBLES_COSTLY_H
#define POLLUX_TESTS_DOUBLES_COSTLY_H

#include <stdbool.h>
#include <stddef.h>

/** Waits as long as the creation of a task is to take longer. */
void add_creation(void);

/** Waits as long as these depend items are to take longer. */
void add_items(size_t items);

/** Before a task's body: waits as long as its thread is to take longer to wake up, if it slept. */
void add_wake_up(bool created_elsewhere);

/** Waits as long as the release of a task's successors is to take longer. */
void add_release(void);

#endif
