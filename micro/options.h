/* SPDX-License-Identifier: BSD-3-Clause
 * The command line of task-overhead. */
#ifndef POLLUX_MICRO_OPTIONS_H
#define POLLUX_MICRO_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/number_list.h"
#include "common/output/report.h"
#include "micro/pattern.h"

enum { PATTERNS_MAX = 32 };

struct micro_options {
    size_t pattern_count;
    const struct pattern *patterns[PATTERNS_MAX];
    bool all_patterns;
    struct number_list tasks, items, distances, threads;
    size_t repeat, warmup;
    uint64_t seed;
    enum format format;
    const char *output; /**< NULL: none */
    bool list, version;
};

/** Reads the command line, with defaults for all but the threads. An error ends the program with one line and
 * status POLLUX_USAGE; --help prints and ends it with status 0. */
struct micro_options micro_options_parse(int argc, char **argv);

#endif
