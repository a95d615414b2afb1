/* SPDX-License-Identifier: BSD-3-Clause
 * Ends a run that has stopped: a message that was lost, a rank that hangs, tasks that wait for each other. */
#ifndef POLLUX_BENCHMARKS_MPI_WATCHDOG_H
#define POLLUX_BENCHMARKS_MPI_WATCHDOG_H

#include "benchmarks/mpi/exchange.h"

struct watchdog;

/** From now on, ends all ranks with one line once this one has begun no kernel and finished no message for
 * world()->patience seconds, unless a kernel computes and the rank waits for no message. */
struct watchdog *watchdog_create(struct exchange *x);

void watchdog_destroy(struct watchdog *dog);

#endif
