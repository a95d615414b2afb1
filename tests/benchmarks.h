/* SPDX-License-Identifier: BSD-3-Clause
 * Every benchmark of the build, as its folders declare them (cmake/PolluxBenchmark.cmake). */
#ifndef POLLUX_TESTS_BENCHMARKS_H
#define POLLUX_TESTS_BENCHMARKS_H

#include "common/run/benchmark.h"

/** Ends with NULL. */
extern const struct benchmark *const benchmarks[];

#endif
