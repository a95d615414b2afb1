/* SPDX-License-Identifier: BSD-3-Clause
 * What the race check runs besides the benchmarks' own variants: graphs known to be right or wrong. */
#ifndef POLLUX_TESTS_RACE_SUBJECTS_H
#define POLLUX_TESTS_RACE_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/run/benchmark.h"

/** A task graph that runs on the matrix of a benchmark's variant. */
struct altered {
    const char *name;
    const char *benchmark, *variant; /**< what it is a copy of, or takes its matrix from */
    void (*submit)(struct problem *problem);
    bool high_panels; /**< the error is in tasks that only high panels have */
};

/** Copies of task graphs with one error each (planted.cmake). */
extern const struct altered planted[];
extern const size_t planted_count;

/** Graphs that show whether the tools are at work. "ordered…" are right, which only Archer can show;
 * the others are wrong, which only ThreadSanitizer and instrumented kernels can show. "…sets" use
 * concurrent writes (inoutset). */
extern const struct altered controls[];
extern const size_t control_count;

#endif
