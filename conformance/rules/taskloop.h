/* SPDX-License-Identifier: BSD-3-Clause
 * The sizes of a taskloop's tasks: each iteration notes its number among those of its task, from 1. */
#ifndef POLLUX_CONFORMANCE_RULES_TASKLOOP_H
#define POLLUX_CONFORMANCE_RULES_TASKLOOP_H

#include "conformance/rule.h"

/* clang warns about arithmetic that it generates itself for a taskloop. */
#pragma GCC diagnostic ignored "-Wsign-conversion"

enum { ITERATIONS_MAX = 300 };

/* A task that ran k iterations has one in each of the places 1 to k. */
static int tasks_with(const int *places, size_t iterations, int place)
{
    int tasks = 0;
    for (size_t i = 0; i < iterations; i++)
        tasks += shared_get(&places[i]) == place;
    return tasks;
}

#endif
