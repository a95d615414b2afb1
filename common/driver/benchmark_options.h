/* SPDX-License-Identifier: BSD-3-Clause
 * The options that differ from benchmark to benchmark: its parameters, and the kernel sets that it has. */
#ifndef POLLUX_COMMON_BENCHMARK_OPTIONS_H
#define POLLUX_COMMON_BENCHMARK_OPTIONS_H

#include <argp.h>

#include "common/base/number_list.h"
#include "common/run/benchmark.h"

/** The key of the first parameter's option; those of the others follow. */
enum { KEY_PARAMETER = 512 };

enum { HELP_SIZE = 200 };

/** The help texts of a parameter. */
struct parameter_help {
    char metavar[HELP_SIZE], text[HELP_SIZE];
};

/** The help texts of a benchmark's own options. */
struct benchmark_help {
    char size[HELP_SIZE];
    char kernels_metavar[HELP_SIZE], kernels[HELP_SIZE];
    struct parameter_help parameters[PARAMETERS_MAX];
};

/** The option of one parameter.
 * @param[out] help what it points to: empty before */
struct argp_option parameter_option(const struct parameter *parameter, int key,
                                    struct parameter_help *help);

/** The order of the matrix without --size. */
size_t standard_size(const struct benchmark *benchmark);

/** Adds the standard size to the option --size. */
void size_option(const struct benchmark *benchmark, struct argp_option *option,
                 struct benchmark_help *help);

/** Adds the benchmark's kernel sets to the option --kernels. */
void kernels_option(const struct benchmark *benchmark, struct argp_option *option,
                    struct benchmark_help *help);

/** Reads the values of a parameter: numbers as number_list_parse does, or words. */
struct number_list parameter_parse(const struct parameter *parameter, const char *text);

/** The first kernel set that the benchmark has. */
enum kernel_set default_kernels(const struct benchmark *benchmark);

/** Why one that it has cannot run here, as the end of a sentence; NULL if it can. */
const char *kernels_missing(const struct benchmark *benchmark, enum kernel_set set);

/** Reads the name of one that it has; another ends the program (POLLUX_USAGE). */
enum kernel_set kernels_parse(const struct benchmark *benchmark, const char *text);

#endif
