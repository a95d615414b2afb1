/* SPDX-License-Identifier: BSD-3-Clause
 * The named results by which runs are compared: every executable lists its own, and its records have them. */
#ifndef POLLUX_COMMON_QUANTITY_H
#define POLLUX_COMMON_QUANTITY_H

#include <jansson.h>
#include <stdbool.h>

enum better { BETTER_LESS, BETTER_MORE };

struct quantity {
    const char *name;    /**< letters and underscores */
    const char *summary; /**< one line */
    const char *unit;    /**< such as "ns" */
    enum better better;
    bool explained; /**< tables say why it is not known */
    bool is_term; /**< a part of the headline: campaigns decide it too unless they say otherwise */
};

/** The speed of a computation. */
extern const struct quantity quantity_gflops;

/** The object of `quantities` in records; a value that is not finite is null. */
json_t *quantity_json(const struct quantity *quantity, double value);

/** The description of some quantities, the headline first, as --list has it. */
json_t *quantities_description(const struct quantity *quantities, size_t count);

#endif
