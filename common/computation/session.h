/* SPDX-License-Identifier: BSD-3-Clause
 * The computation of a process: what the functions that the driver calls share. */
#ifndef POLLUX_COMPUTATION_SESSION_H
#define POLLUX_COMPUTATION_SESSION_H

#include <stdbool.h>

#include "common/computation/availability.h"
#include "common/computation/options.h"
#include "common/driver/parameter_options.h"
#include "common/driver/program.h"
#include "common/execution/task_tool.h"
#include "common/output/event_file.h"
#include "common/run/run.h"

struct computation {
    const struct benchmark *benchmark;
    struct computation_options options;
    struct program_options *general; /**< those of all benchmarks */
    struct runtime_identity runtime;
    struct availability availability;
    struct dense_matrix file;  /**< of --matrix */
    struct topology *topology; /**< of --list; else the setup's */
    struct energy_meter *meter;
    struct event_file events; /**< of --trace or --graph */
    char *trace_path;         /**< of --trace, where a run's processes have files of their own */
    const struct ompt_tool *tool;
};

extern struct computation current;

/** What a point stands for, with defaults for what the command line omits; the second is without a variant. */
struct configuration planned_configuration(const struct point *point);
struct configuration listed_configuration(const struct point *point);

/** Whether default tiles are taken, and are a guess here. */
bool tiles_are_guessed(void);

/** The set of the indices of those parameters that some of the requested variants have. */
unsigned requested_parameters(void);

/** The order of the matrix without --size. */
size_t standard_size(const struct benchmark *benchmark);

/** Adds the benchmark's kernel sets to the option --kernels, whose values differ from benchmark to benchmark.
 * @param[out] help what it points to: empty before */
void kernels_option(const struct benchmark *benchmark, struct argp_option *option,
                    struct parameter_help *help);

/** The first kernel set that the benchmark has. */
enum kernel_set default_kernels(const struct benchmark *benchmark);

/** Why one that it has cannot run here, as the end of a sentence; NULL if it can. */
const char *kernels_missing(const struct benchmark *benchmark, enum kernel_set set);

/** Reads the name of one that it has; another ends the program (POLLUX_USAGE). */
enum kernel_set kernels_parse(const struct benchmark *benchmark, const char *text);

/** Whether a variant can run in several processes of the teams requested; it can where the run is one process.
 * @param[out] reason of that size: why not */
bool processes_allow(const struct variant *variant, char *reason, size_t size);

/** Joins the others, once it is known what can run here; only one of them reports, so that the options of the rest name no output. */
void processes_join(struct program_options *given);

/** Sets what depends on the benchmark's table in a description (docs/benchmark.schema.json). */
void listing_describe(const struct benchmark *benchmark, json_t *description);

/** What a problem of these sizes takes; release with json_decref. */
json_t *listing_instance(const struct configuration *c, enum check check);

/** The answer to --list for people. */
void listing_table(const struct benchmark *benchmark, struct availability *availability);

/** A line for each way of writing concurrently, with the name of the first variant that has it. */
void listing_writes(const struct benchmark *benchmark, struct availability *availability);

/** Warns of what the requested variants do in another way than their names say. */
void give_notice(const struct plan *plan);

/** What all records of this process have in common. */
struct record_choices choices_of_records(void);

/** Writes the task graph of each point of the plan. */
void describe_graphs(const struct plan *plan, const struct setup *setup);

/** Functions of struct program. */
void *repetitions_create(const struct point *point, const struct run_context *context);
void repetitions_destroy(void *bench);
void repetitions_repeat(void *bench, struct result *result);
json_t *repetitions_record(void *bench, const struct result *result);

extern const struct program_report repetitions_report;

#endif
