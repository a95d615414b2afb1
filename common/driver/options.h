/* SPDX-License-Identifier: BSD-3-Clause
 * The command line that all executables share. */
#ifndef POLLUX_COMMON_OPTIONS_H
#define POLLUX_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/matrix/tile_shape.h"
#include "common/run/benchmark.h"
#include "common/run/verify.h"

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

enum { LIST_MAX = 256 };

/** Numbers given as "N,N,…" or "START:STOP:STEP", in the order given; count 0: not given. */
struct number_list {
    size_t count;
    size_t value[LIST_MAX];
};

/** Tiles given as "NB,MBxNB,…" or "START:STOP:STEP", in the order given; count 0: not given. */
struct tile_list {
    size_t count;
    struct tile_shape value[LIST_MAX];
};

struct options {
    struct number_list sizes, threads;
    struct tile_list tiles;
    size_t rows;  /**< 0: as many as columns */
    size_t inner; /**< 0: default */
    size_t variant_count;
    const struct variant *variants[LIST_MAX];
    bool all_variants;
    size_t repeat, warmup;
    uint64_t seed;
    enum check check;
    enum format format;
    const char *output;      /**< NULL: none */
    const char *trace;       /**< NULL: no trace */
    const char *graph;       /**< NULL: the factorizations are run, not described */
    bool ompt;               /**< traces tell of tasks too */
    const char *matrix_path; /**< NULL: random input */
    bool first_touch;        /**< no NUMA interleaving */
    bool no_priority;
    bool list, version;
};

/** Reads the command line. Wrong use ends the program with one line and status POLLUX_USAGE;
 * --help prints and ends it with status 0. */
struct options options_parse(const struct benchmark *benchmark, int argc, char **argv);

/** Reads a list of positive numbers; `option` names it in the error message, with which a wrong list
 * ends the program (POLLUX_USAGE). */
struct number_list number_list_parse(const char *text, const char *option);

#endif
