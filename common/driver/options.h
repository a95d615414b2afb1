/* SPDX-License-Identifier: BSD-3-Clause
 * The command line that all benchmarks share. */
#ifndef POLLUX_COMMON_OPTIONS_H
#define POLLUX_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/number_list.h"
#include "common/driver/shared_options.h"
#include "common/matrix/tile_shape.h"
#include "common/run/benchmark.h"
#include "common/run/verify.h"

struct options {
    struct shared_options shared;
    struct number_list sizes;
    struct tile_list tiles;
    struct number_list parameters[PARAMETERS_MAX]; /**< in the order of the benchmark's table */
    size_t rows;                                   /**< 0: as many as columns */
    size_t inner;                                  /**< 0: default */
    size_t variant_count;
    const struct variant *variants[LIST_MAX];
    bool all_variants;
    enum kernel_set kernels;
    enum check check;
    const char *trace;       /**< NULL: no trace */
    const char *graph;       /**< NULL: the task graphs are run, not described */
    bool ompt;               /**< traces record tasks too */
    bool processor_time;     /**< traces record how long threads ran on a processor */
    const char *matrix_path; /**< NULL: random input */
    bool first_touch;        /**< no NUMA interleaving */
    bool no_priority;
    bool probe; /**< only say what the first variant's concurrent write does */
};

/** Reads the command line. An error ends the program with one line and status POLLUX_USAGE;
 * --help prints and ends it with status 0. */
struct options options_parse(const struct benchmark *benchmark, int argc, char **argv);

#endif
