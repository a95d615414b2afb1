/* SPDX-License-Identifier: BSD-3-Clause
 * The report of a run on standard output: a table for people, JSON lines or CSV for programs. */
#ifndef POLLUX_COMMON_REPORT_H
#define POLLUX_COMMON_REPORT_H

#include <jansson.h>

#include "common/process/setup.h"
#include "common/run/run.h"

enum format {
    FORMAT_TABLE,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_NONE /**< another process of the same run reports */
};

struct report {
    enum format format;
    const struct benchmark *benchmark;
    const struct setup *setup;
    enum kernel_set kernels;
    bool
        tiles_guessed; /**< tiles come from the table, which has none for this processor: the heading says so */
    unsigned
        parameters; /**< set of the indices of those that some variants have: the table's columns */
};

/** The heading: what runs where, and the columns. */
void report_begin(const struct report *report);

/** One repetition: a row, a JSON line or a CSV line. */
void report_repetition(const struct report *report, const struct configuration *c,
                       const struct outcome *outcome, size_t repetition, const json_t *record);

/** The median row of a configuration (tables only), and the PASS or FAIL line: on standard output
 * for tables, on standard error where standard output is for programs.
 * @return true if all repetitions passed */
bool report_configuration(const struct report *report, const struct configuration *c,
                          const struct outcome *outcomes, size_t count);

/** Shows what runs now (message_progress), if standard error is a terminal and the program has run for more than a
 * few seconds. */
void report_progress(const struct report *report, const struct configuration *c, size_t done,
                     size_t total);

#endif
