/* SPDX-License-Identifier: BSD-3-Clause
 * The values of a benchmark's parameters. */
#ifndef POLLUX_COMMON_PARAMETERS_H
#define POLLUX_COMMON_PARAMETERS_H

#include <jansson.h>

#include "common/run/run.h"

enum { PARAMETER_TEXT_SIZE = 32 };

/** Writes a value as on the command line into a buffer of PARAMETER_TEXT_SIZE.
 * @return text */
const char *parameter_text(const struct parameter *parameter, size_t value, char *text);

/** One value, a number or a string. */
json_t *parameter_json(const struct parameter *parameter, size_t value);

/** Whether a variant has this parameter; NULL stands for the whole benchmark, which has all. */
bool parameter_concerns(const struct parameter *parameter, const struct variant *variant);

/** Whether a configuration has the parameter of that place in its benchmark's table. */
bool configuration_has_parameter(const struct configuration *c, size_t index);

/** The values of those that a configuration has by name; an empty object where there are none. */
json_t *parameters_json(const struct configuration *c);

#endif
