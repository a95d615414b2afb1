/* SPDX-License-Identifier: BSD-3-Clause
 * The record of one repetition of any benchmark: a JSON object of schema pollux-run/1 (docs/record.md). */
#ifndef POLLUX_COMMON_RECORD_H
#define POLLUX_COMMON_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "common/base/period.h"
#include "common/process/setup.h"
#include "common/run/run.h"

/** What all records of a process share. */
struct record_context {
    json_t *runtime, *compiler, *blas, *host;
    const struct energy_meter *meter; /**< NULL where nothing is run */
    const char *placement;            /**< "interleave", "first-touch" or "one-node" */
    const char *matrix;               /**< "random", or the file's path */
    const char *check;
    enum priorities priorities;
    bool traced; /**< a tool receives task events: not for comparisons */
};

/** What the command line sets for all repetitions of a process. */
struct record_choices {
    const char *matrix_path; /**< NULL: random */
    enum check check;
    bool first_touch; /**< no NUMA interleaving */
    bool ompt;        /**< a tool receives task events */
};

struct record_context record_context_create(const struct setup *setup,
                                            const struct record_choices *choices,
                                            const struct energy_meter *meter);

void record_context_destroy(struct record_context *context);

/** What every benchmark states of a repetition. */
struct record_point {
    const char *benchmark, *variant;
    json_t *size;       /**< its name and value, or null; taken over */
    json_t *parameters; /**< values by name; taken over */
    size_t threads, repetition;
    uint64_t seed;
    struct period period;
    bool passed;
    const char *fault; /**< what was wrong where no residual says it; NULL: nothing */
    json_t *bindings;  /**< where each thread of the team ran; borrowed */
};

/** A record with all that does not depend on what is measured; release with json_decref. */
json_t *record_begin(const struct record_context *context, const struct record_point *point);

/** Adds the fields about a matrix, null: of benchmarks that compute on none. */
void record_add_no_matrix(json_t *record);

/** How concurrent write is spelled and what it does; null where there is none (NULL). */
json_t *concurrent_write_json(const struct concurrent_write *write, const char *observed);

/** @param[in] bindings  where each thread of the team ran; borrowed
 *  @param[in] traced    kernels were traced
 *  @param[in] observed  what the variant's concurrent write does; NULL where it has none
 *  @return the record; release with json_decref */
json_t *record_create(const struct record_context *context, const struct configuration *c,
                      const struct outcome *outcome, size_t repetition, bool traced,
                      json_t *bindings, const char *observed);

#endif
