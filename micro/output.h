/* SPDX-License-Identifier: BSD-3-Clause
 * What task-overhead writes: records, the table, lists of patterns. */
#ifndef POLLUX_MICRO_OUTPUT_H
#define POLLUX_MICRO_OUTPUT_H

#include <jansson.h>

#include "common/output/record.h"
#include "common/output/report.h"
#include "micro/measure.h"

/** What the records of one configuration share. */
struct micro_context {
    const struct record_context *process;
    uint64_t seed;
    double clock_ns;
    double task_bytes;        /**< NaN: not known */
    const char *bytes_reason; /**< NULL where it is */
    json_t *bindings;         /**< where each thread of the team ran; borrowed */
};

/** The record of a repetition, as docs/micro.schema.json describes it; release with json_decref. */
json_t *micro_record(const struct micro_context *context, const struct micro_configuration *c,
                     const struct repetition *r, size_t repetition);

/** The heading of a table, or of CSV. */
void micro_report_begin(enum format format, const struct setup *setup, double clock_ns);

/** One repetition, as a JSON or CSV line; nothing in tables. */
void micro_report_repetition(enum format format, const struct micro_context *context,
                             const struct micro_configuration *c, const struct repetition *r,
                             size_t repetition, const json_t *record);

/** The medians of a configuration in a row (tables only), and one line for each fault on standard error.
 * @return how many repetitions passed */
size_t micro_report_configuration(enum format format, const struct micro_configuration *c,
                                  const struct repetition *repetitions, size_t count);

/** The last line: PASS or FAIL; on standard error where standard output is for programs. */
void micro_report_end(enum format format, const struct setup *setup, size_t configurations,
                      size_t passed, size_t repetitions);

/** The answer to --list. */
void micro_list(enum format format);

/** Whether a pattern can run here with so many items on a task.
 * @param[out] reason why not, of CAPABILITY_TEXT_SIZE */
bool pattern_can_run(const struct pattern *pattern, size_t items,
                     const struct runtime_identity *runtime, char *reason);

#endif
