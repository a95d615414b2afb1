/* SPDX-License-Identifier: BSD-3-Clause
 * One configuration, and one repetition of it: generate, compute, verify. */
#ifndef POLLUX_COMMON_RUN_H
#define POLLUX_COMMON_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/period.h"
#include "common/energy/meter.h"
#include "common/execution/team.h"
#include "common/execution/trace.h"
#include "common/machine/topology.h"
#include "common/matrix/matrix_market.h"
#include "common/matrix/tile_shape.h"
#include "common/run/benchmark.h"
#include "common/run/verify.h"

/** What is run: one combination of the command line's lists. */
struct configuration {
    const struct benchmark *benchmark;
    const struct variant *variant;
    enum kernel_set kernels;
    size_t m, n, mb, nb, ib, threads;
    size_t parameters[PARAMETERS_MAX]; /**< in the order of the benchmark's table */
    enum tile_source tile_source;
    const struct dense_matrix *file;   /**< NULL: random input */
    const struct topology *interleave; /**< NULL: first touch */
};

/** Threads of the two levels of a nested variant. */
struct levels {
    size_t outer; /**< of the team that runs the tasks */
    size_t
        inner_requested; /**< of the parallel regions inside tasks; 0: the variant is not nested */
    size_t inner_given;  /**< the fewest that one of them had; 0: none was opened */
};

/** Whether regions inside tasks had fewer threads than requested: what was timed is not nested. */
bool levels_missing(const struct levels *levels);

/** What one repetition gave. */
struct outcome {
    uint64_t seed;
    struct team_run region; /**< the timed region */
    double seconds;         /**< creation and execution of the task graph, nothing else */
    double flops;
    double gflops;   /**< 0 where the computation failed */
    int64_t failure; /**< 0, or the 1-based column of the break-down */
    uint64_t digest;
    uint64_t tasks;       /**< kernels executed */
    struct period period; /**< around the timed region */
    struct verification verification;
    size_t figure_count;
    struct figure figures[FIGURES_MAX];
    struct levels levels;
    bool passed; /**< computed, nested as requested, and all residuals passed */
    enum energy_status energy;
    double joules; /**< of packages and memory in the timed region; NaN if not known */
};

/** Threads of the parallel regions inside tasks; 1 where the variant is not nested. */
size_t configuration_inner_team(const struct configuration *c);

/** Threads that run at once: those of all levels. */
size_t configuration_all_threads(const struct configuration *c);

/** Order of the products of the self-test of BLAS; 0: none is needed, as of one thread. */
size_t configuration_selftest_order(const struct configuration *c);

/** Ends the program with POLLUX_MACHINE where its benchmark cannot run it, whatever the memory. */
void configuration_require(const struct configuration *c);

/** Bytes that a run of this configuration writes to, or SIZE_MAX if that overflows. */
size_t configuration_bytes(const struct configuration *c, enum check check);

/** Operation count, as far as it is known before a run; NaN: not known, as of what does not fit in memory. */
double configuration_flops(const struct configuration *c);

/** That of a problem that exists. */
double problem_flops(const struct benchmark *benchmark, const struct problem *problem);

/** Tasks of a variant of its benchmark at most; needs benchmark->tasks. */
double configuration_tasks(const struct configuration *c, const struct variant *variant);

/** Allocates everything for a configuration. Ends the program with POLLUX_MACHINE if out of memory. */
struct problem *run_create(const struct configuration *c);

void run_destroy(const struct configuration *c, struct problem *problem);

/** Fills in the input of this seed, in place of an earlier one. */
void run_generate(const struct configuration *c, struct problem *problem, uint64_t seed);

/** Generates the input of this seed, runs the variant, and verifies the result. Ends the program with
 * POLLUX_MACHINE if the runtime gives a number of threads other than requested.
 * @param trace receives the kernel calls of the timed region; NULL: not traced
 * @param meter measures the energy of the timed region; NULL: nothing does */
struct outcome run_once(const struct configuration *c, struct problem *problem, uint64_t seed,
                        enum check check, struct trace *trace, struct energy_meter *meter);

/** The logical processors each thread of a team may run on, as lists such as "0,4-7".
 * @return array of `threads` strings, to be released by json_decref */
json_t *run_bindings(const struct topology *topology, size_t threads);

#endif
