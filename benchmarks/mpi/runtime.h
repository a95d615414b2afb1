/* SPDX-License-Identifier: BSD-3-Clause
 * What the communication variants have to know of the runtime. */
#ifndef POLLUX_BENCHMARKS_MPI_RUNTIME_H
#define POLLUX_BENCHMARKS_MPI_RUNTIME_H

#include <stdbool.h>

/** Whether it is libomp or one of its relatives: a thread that yields runs a task; a team of one thread runs tasks as soon
 * as they are ready, whatever their priority; tasks do not wait for events at their creation. */
bool runtime_is_libomp(void);

/** Milliseconds for which its idle threads spin before they sleep; of other runtimes 0. */
int runtime_blocktime(void);

#endif
