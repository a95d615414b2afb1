/* SPDX-License-Identifier: BSD-3-Clause
 * Every benchmark of the build, as its folders declare them (cmake/PolluxBenchmark.cmake). */
#ifndef POLLUX_TESTS_BENCHMARKS_H
#define POLLUX_TESTS_BENCHMARKS_H

#include "common/run/benchmark.h"

/** Ends with NULL. */
extern const struct benchmark *const benchmarks[];

/** Sets all parameters of a benchmark to what they are without an option.
 * @param[out] values one for each, in the order of its table */
static inline void parameters_standard(const struct benchmark *benchmark, size_t *values)
{
    for (size_t i = 0; i < benchmark->parameter_count; i++)
        values[i] = benchmark->parameters[i].standard;
}

#endif
