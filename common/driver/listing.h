/* SPDX-License-Identifier: BSD-3-Clause
 * Answers to --list and --version. */
#ifndef POLLUX_COMMON_LISTING_H
#define POLLUX_COMMON_LISTING_H

#include <jansson.h>

#include "common/driver/availability.h"
#include "common/driver/options.h"
#include "common/process/setup.h"

/** The description of a benchmark: a table of its variants, or, as JSON, the object that
 * docs/benchmark.schema.json describes, with an instance for every combination of the sizes, tiles and
 * threads of the options. It states whether each variant can run on the loaded runtime. */
void listing_benchmark(const struct benchmark *benchmark, const struct options *options);

/** What every executable states of a variant. */
struct variant_description {
    const char *name, *summary;
    unsigned needs; /**< set of enum capability */
    bool available;
    const char *reason;       /**< why not */
    const char *digest_group; /**< NULL: it has no digest */
    const char *input;
    bool sequential, nested, own_team;
    unsigned tasks_per_update;
    json_t *parameters; /**< names of those that it has; taken over */
};

/** Parts of a description (docs/benchmark.schema.json); release each with json_decref. */
json_t *variant_description(const struct variant_description *variant);
json_t *parameter_description(const struct parameter *parameter);
json_t *size_description(const char *name, const char *summary, size_t standard);

/** An instance of a benchmark that computes on no matrix.
 * @param parameters  values by name; taken over
 * @param tasks       tasks of each variant at most; taken over */
json_t *instance_without_matrix(json_t *parameters, size_t threads, size_t bytes, json_t *tasks);

/** Prints a description and releases it. */
void listing_print(json_t *description);

/** Version of the executable of that name, compiler, runtime and BLAS in use.
 * @param[in] benchmark what its variants' concurrent write does is shown too; NULL: there is none
 * @param[in,out] availability of the benchmark's variants */
void listing_version(const char *name, const struct setup *setup, const struct benchmark *benchmark,
                     struct availability *availability);

#endif
