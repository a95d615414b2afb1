/* SPDX-License-Identifier: BSD-3-Clause
 * The random graph: which addresses each task names, and the order that follows. */
#ifndef POLLUX_MICRO_RANDOM_CHOICE_H
#define POLLUX_MICRO_RANDOM_CHOICE_H

#include "micro/pattern.h"

enum { RANDOM_READS = 2 };

/** The addresses of a task, all different. */
struct random_choice {
    size_t written, read[RANDOM_READS];
};

/** The priority of a task, from 1 to TASK_PRIORITY_MAX; the shape's tasks have priorities. */
int random_priority(const struct shape *shape, size_t task);

/** How many addresses there are: about the square root of the tasks. */
size_t random_addresses(const struct shape *shape);

/** Those of a task, of `count` addresses. */
struct random_choice random_choose(uint64_t seed, size_t task, size_t count);

/** As struct pattern has it. */
void random_define(const struct shape *shape, struct graph *graph);

#endif
