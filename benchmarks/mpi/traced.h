/* SPDX-License-Identifier: BSD-3-Clause
 * What the trace of a rank has besides its kernels (docs/traces.md): functions of struct processes. */
#ifndef POLLUX_BENCHMARKS_MPI_TRACED_H
#define POLLUX_BENCHMARKS_MPI_TRACED_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "common/run/benchmark.h"

json_t *traced_describe(const struct problem *p, int64_t start_ns);

void traced_messages(const struct problem *p, int64_t start_ns,
                     void (*write)(void *argument, const int64_t *numbers, size_t count),
                     void *argument);

#endif
