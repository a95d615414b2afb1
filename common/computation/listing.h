/* SPDX-License-Identifier: BSD-3-Clause
 * What a computation adds to --list and --version. */
#ifndef POLLUX_COMPUTATION_LISTING_H
#define POLLUX_COMPUTATION_LISTING_H

#include <jansson.h>

#include "common/computation/availability.h"
#include "common/run/run.h"

/** Sets what depends on the benchmark's table in a description (docs/benchmark.schema.json). */
void listing_describe(const struct benchmark *benchmark, json_t *description);

/** What a problem of these sizes takes; release with json_decref. */
json_t *listing_instance(const struct configuration *c, enum check check);

/** The answer to --list for people. */
void listing_table(const struct benchmark *benchmark, struct availability *availability);

/** A line for each way of writing concurrently, with the name of the first variant that has it. */
void listing_writes(const struct benchmark *benchmark, struct availability *availability);

#endif
