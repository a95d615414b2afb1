/* SPDX-License-Identifier: BSD-3-Clause
 * The options that mean the same in every executable that measures: benchmarks and micro-benchmarks. */
#ifndef POLLUX_COMMON_SHARED_OPTIONS_H
#define POLLUX_COMMON_SHARED_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/number_list.h"
#include "common/output/report.h"

enum { REPETITIONS_MAX = 1000000 };

struct shared_options {
    struct number_list threads; /**< count 0: not given */
    size_t repeat, warmup;
    uint64_t seed;
    enum format format;
    const char *output; /**< NULL: none */
    bool list, version;
};

/** Their values where none is given. */
extern const struct shared_options shared_defaults;

/** What an executable says of its own in their help. */
struct shared_texts {
    const char *repeat, *seed, *list, *version;
};

/** --threads with its other name, --repeat, --warmup, --seed, --format, --output, --list, --version, --help */
enum { SHARED_OPTIONS = 10 };

/** Writes these entries of a table. --help has the groups threads 1, repetitions 2, output 3, and 5 for --list, --version
 * and --help.
 * @param[in] nested regions are opened inside others: then --outer is another name for --threads */
void shared_options_add(struct argp_option *table, const struct shared_texts *texts, bool nested);

/** The numbers of threads that are requested, or else the one of which a team then is. */
struct number_list requested_threads(const struct shared_options *options);

/** Takes an option if it is a shared one; bad values end the program with POLLUX_USAGE.
 * @return whether it was */
bool shared_options_take(struct shared_options *options, int key, const char *text,
                         struct argp_state *state);

#endif
