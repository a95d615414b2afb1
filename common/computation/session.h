/* SPDX-License-Identifier: BSD-3-Clause
 * The computation of a process: what the functions that the driver calls share. */
#ifndef POLLUX_COMPUTATION_SESSION_H
#define POLLUX_COMPUTATION_SESSION_H

#include <stdbool.h>

#include "common/computation/availability.h"
#include "common/computation/options.h"
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
    bool silent; /**< another process of the run reports */
};

extern struct computation current;

struct configuration planned_configuration(const struct point *point);

/** Whether default tiles are taken, and are a guess here. */
bool tiles_are_guessed(void);

/** Whether a variant was requested whose tasks open parallel regions. */
bool nested_is_requested(void);

/** Functions of struct program. */
void *repetitions_create(const struct point *point, const struct run_context *context);
void repetitions_destroy(void *bench);
void repetitions_repeat(void *bench, struct result *result);
json_t *repetitions_record(void *bench, const struct result *result);

extern const struct program_report repetitions_report;

#endif
