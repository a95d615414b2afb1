/* SPDX-License-Identifier: BSD-3-Clause
 * The parts of the skeleton: options, plan, records, reports. */
#ifndef POLLUX_MICRO_SESSION_H
#define POLLUX_MICRO_SESSION_H

#include "common/base/number_list.h"
#include "common/driver/shared_options.h"
#include "common/output/record.h"
#include "micro/program.h"

enum { FIELD_SIZE = 64 };

struct micro_options {
    struct shared_options shared;
    struct number_list variants; /**< by their indices */
    bool all_variants;
    struct number_list sizes; /**< one value, 0, where the program has none */
    struct number_list parameters[MICRO_PARAMETERS_MAX];
};

/** Points in the order in which they are measured. */
struct micro_plan {
    size_t count;
    struct micro_point *points;
};

/** What is written about one point. */
struct micro_subject {
    const struct micro_program *program;
    const struct micro_point *point;
    const struct micro_context *context;
    const struct record_context *process;
    json_t *bindings; /**< where each thread of the team ran; borrowed */
};

/** Reads the command line, with defaults for all but the threads. An error ends the program with one line and
 * status POLLUX_USAGE; --help prints and ends it with status 0. */
struct micro_options micro_options_parse(const struct micro_program *program, int argc,
                                         char **argv);

/** Every combination of the lists that can run here. Those that cannot end the program with POLLUX_MACHINE, or are
 * left out with a warning where they are only part of `all`; so does what the machine lacks.
 * @return the plan; release with micro_plan_destroy */
struct micro_plan micro_plan_create(const struct micro_program *program,
                                    const struct micro_options *options, const struct setup *setup);

void micro_plan_destroy(struct micro_plan *plan);

/** Bytes that a point needs, and threads of its team. */
size_t micro_point_bytes(const struct micro_program *program, const struct micro_point *point);
size_t micro_point_threads(const struct micro_point *point);

/** Threads that exist at once. */
size_t micro_all_threads(const struct micro_program *program, const struct micro_point *point);

/** Whether a variant can run here, with what a point of it needs besides.
 * @param[out] reason why not, of CAPABILITY_TEXT_SIZE */
bool micro_can_run(const struct micro_variant *variant, unsigned needs,
                   const struct runtime_identity *runtime, char *reason);

/** Whether the variant has this parameter. */
bool micro_has_parameter(const struct micro_variant *variant, size_t parameter);

/** The values of the parameters that the variant has, by name. */
json_t *micro_parameters(const struct micro_program *program, const struct micro_point *point);

/** The record of a repetition (docs/record.md); release with json_decref. */
json_t *micro_record(const struct micro_subject *subject, const struct micro_result *result,
                     size_t repetition);

/** The heading of a table, or of CSV. */
void micro_report_begin(const struct micro_program *program, enum format format,
                        const struct setup *setup, double clock_ns);

/** One repetition, as a JSON or CSV line; nothing in tables. */
void micro_report_repetition(const struct micro_program *program, enum format format,
                             const json_t *record);

/** The medians of a point in a row (tables only), and one line for each fault on standard error.
 * @return how many repetitions passed */
size_t micro_report_point(const struct micro_subject *subject, enum format format,
                          const struct micro_result *results, size_t count);

/** The last line: PASS or FAIL; on standard error where standard output is for programs. */
void micro_report_end(const struct micro_program *program, enum format format,
                      const struct setup *setup, const size_t counts[3]);

/** The answer to --list; as JSON with an instance for every combination of sizes, parameters and threads. */
void micro_list(const struct micro_program *program, const struct micro_options *options);

/** What one reading of the clock costs. */
double clock_cost_ns(void);

#endif
