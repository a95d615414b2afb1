/* SPDX-License-Identifier: BSD-3-Clause
 * Holds every task of a pattern back until all are created, without changing the pattern's own tasks. */
#ifndef POLLUX_MICRO_GATE_H
#define POLLUX_MICRO_GATE_H

#include "micro/run.h"

/** Creates the tasks of the gate: a first one, which holds; relays, which wait for it; and latches, which wait for
 * a relay and write the addresses of `roots`, three each. Thus the tasks that name these addresses wait for the
 * gate, and no address has many readers. */
void gate_create(struct run *run, struct range roots);

/** Waits for all tasks that the calling thread has created. */
void gate_wait_for_tasks(void);

#endif
