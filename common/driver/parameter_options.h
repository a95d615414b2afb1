/* SPDX-License-Identifier: BSD-3-Clause
 * The option of a parameter, and its values. */
#ifndef POLLUX_PARAMETER_OPTIONS_H
#define POLLUX_PARAMETER_OPTIONS_H

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

/** The option of one parameter.
 * @param[out] help what it points to: empty before */
struct argp_option parameter_option(const struct parameter *parameter, int key,
                                    struct parameter_help *help);

/** Reads the values of a parameter: numbers as number_list_parse does, or words. */
struct number_list parameter_parse(const struct parameter *parameter, const char *text);

#endif
