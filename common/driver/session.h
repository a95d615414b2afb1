/* SPDX-License-Identifier: BSD-3-Clause
 * The parts of the driver: options, plan, records, reports. */
#ifndef POLLUX_SESSION_H
#define POLLUX_SESSION_H

#include "common/driver/program.h"

enum { FIELD_SIZE = 64 };

/** What is written about one point. */
struct subject {
    const struct program *program;
    const struct point *point;
    const struct run_context *context;
    void *bench;
};

/** Reads the command line, with defaults for all but the threads. An error ends the program with one line and
 * status POLLUX_USAGE; --help prints and ends it with status 0.
 * @param[out] options zero before */
void program_options_parse(const struct program *program, int argc, char **argv,
                           struct program_options *options);

/** The highest task priority that the requested values of a parameter ask for; 0: none. */
int parameter_priority(const struct program *program, const struct program_options *options,
                       size_t parameter);

/** Every combination of the lists that can run here. Those that cannot end the program with POLLUX_MACHINE, or are
 * left out with a warning where they are only part of `all`; so does what the machine lacks.
 * @return the plan; release with plan_destroy */
struct plan plan_create(const struct program *program, const struct program_options *options,
                        const struct setup *setup);

/** Refuses what the machine cannot do, before anything runs.
 * @return the most threads that exist at once */
size_t plan_check(const struct program *program, const struct plan *plan,
                  const struct setup *setup);

void plan_destroy(struct plan *plan);

/** The next digit of a point's number, which is written in as many digits as there are axes. */
size_t next_digit(size_t *number, size_t base);

/** Bytes that a point needs. */
size_t point_bytes(const struct program *program, const struct point *point);

/** Whether a variant can run here.
 * @param[out] reason why not, of REASON_SIZE */
bool variant_can_run(const struct program *program, size_t index,
                     const struct runtime_identity *runtime, char *reason);

/** Whether the variant has this parameter. */
bool has_parameter(const struct program_variant *variant, size_t parameter);

/** What the sizes count, as records name it; NULL: there are none. */
const char *size_name(const struct program *program);

/** The record of a repetition (docs/record.md); release with json_decref. */
json_t *program_record(const struct subject *subject, const struct result *result);

/** The heading of a table, or of CSV. */
void columns_begin(const struct program *program, enum format format, const struct setup *setup,
                   double clock_ns);

/** One repetition, as a JSON or CSV line; nothing in tables. */
void columns_repetition(const struct program *program, enum format format, const json_t *record);

/** The medians of a point in a row (tables only), and one line for each fault on standard error.
 * @return how many repetitions passed */
size_t columns_point(const struct subject *subject, enum format format,
                     const struct result *results, size_t count);

/** The last line; on standard error where standard output is for programs.
 * @param[in] counts configurations, and repetitions that passed, of so many
 * @param[in] passed all of them, and the warm-ups */
void columns_end(const struct program *program, enum format format, const struct setup *setup,
                 const size_t counts[3], bool passed);

/** The answer to --list; as JSON with an instance for every combination of sizes, parameters and threads. */
void program_list(const struct program *program, const struct program_options *options);

/** The answer to --version. */
void program_version(const struct program *program, const struct setup *setup);

#endif
