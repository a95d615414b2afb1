/* SPDX-License-Identifier: BSD-3-Clause
 * The option --kernels, whose values differ from benchmark to benchmark. */
#ifndef POLLUX_KERNEL_OPTIONS_H
#define POLLUX_KERNEL_OPTIONS_H

#include <argp.h>

#include "common/driver/parameter_options.h"
#include "common/run/benchmark.h"

/** The order of the matrix without --size. */
size_t standard_size(const struct benchmark *benchmark);

/** Adds the benchmark's kernel sets to the option --kernels.
 * @param[out] help what it points to: empty before */
void kernels_option(const struct benchmark *benchmark, struct argp_option *option,
                    struct parameter_help *help);

/** The first kernel set that the benchmark has. */
enum kernel_set default_kernels(const struct benchmark *benchmark);

/** Why one that it has cannot run here, as the end of a sentence; NULL if it can. */
const char *kernels_missing(const struct benchmark *benchmark, enum kernel_set set);

/** Reads the name of one that it has; another ends the program (POLLUX_USAGE). */
enum kernel_set kernels_parse(const struct benchmark *benchmark, const char *text);

#endif
