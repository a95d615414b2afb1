/* SPDX-License-Identifier: BSD-3-Clause
 * What tasks take that wait to be run. */
#ifndef POLLUX_COMMON_TASK_MEMORY_H
#define POLLUX_COMMON_TASK_MEMORY_H

/** Bytes that runtimes take for a task, and for a dependence item, rounded up: libomp 19 takes 1600 for a task of a
 * chain, libgomp 12 takes 368. */
enum { TASK_BYTES = 2048, ITEM_BYTES = 128 };

#endif
