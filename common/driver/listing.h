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

/** What a parameter can be, as both descriptions have it; release with json_decref. */
json_t *parameter_description(const struct parameter *parameter);

/** Version of the executable of that name, compiler, runtime and BLAS in use.
 * @param[in] benchmark what its variants' concurrent write does is shown too; NULL: there is none
 * @param[in,out] availability of the benchmark's variants */
void listing_version(const char *name, const struct setup *setup, const struct benchmark *benchmark,
                     struct availability *availability);

#endif
