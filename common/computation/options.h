/* SPDX-License-Identifier: BSD-3-Clause
 * The options that computations have besides those of all benchmarks. */
#ifndef POLLUX_COMPUTATION_OPTIONS_H
#define POLLUX_COMPUTATION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/driver/program.h"
#include "common/matrix/tile_shape.h"
#include "common/run/benchmark.h"
#include "common/run/verify.h"

struct computation_options {
    struct tile_list tiles; /**< one at least */
    size_t rows;            /**< 0: as many as columns */
    size_t inner;           /**< 0: default */
    enum kernel_set kernels;
    enum check check;
    const char *trace;       /**< NULL: no trace */
    size_t traced;           /**< repetitions; 0: one, if any */
    const char *graph;       /**< NULL: the task graphs are run, not described */
    bool ompt;               /**< traces record tasks too */
    bool processor_time;     /**< traces record how long threads ran on a processor */
    const char *matrix_path; /**< NULL: random input */
    bool first_touch;        /**< no NUMA interleaving */
    bool no_priority;
    bool probe; /**< only say what the first variant's concurrent write does */
};

/** Their values where none is given. */
struct computation_options computation_options_default(const struct benchmark *benchmark);

/** The table for struct program; its texts live as long as the process. */
const struct argp_option *computation_options_table(const struct benchmark *benchmark);

/** What the options of all benchmarks say in the help of a computation. */
extern const struct shared_texts computation_texts;

/** Takes one; bad values end the program with POLLUX_USAGE. */
void computation_options_take(const struct benchmark *benchmark,
                              struct computation_options *options, int key, const char *text);

/** Refuses options that this benchmark has not, or that exclude each other. */
void computation_options_check(const struct benchmark *benchmark,
                               const struct computation_options *options,
                               const struct program_options *general);

#endif
