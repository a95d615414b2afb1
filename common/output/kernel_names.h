/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers for the kernels' names, in traces and graphs. */
#ifndef POLLUX_COMMON_KERNEL_NAMES_H
#define POLLUX_COMMON_KERNEL_NAMES_H

#include <jansson.h>
#include <stddef.h>

enum { KERNEL_NAMES_MAX = 64 };

/** The names met so far, numbered from 0; borrowed. */
struct kernel_names {
    size_t count;
    const char *name[KERNEL_NAMES_MAX];
};

/** The number of a name, a new one if it has none. Aborts at more than KERNEL_NAMES_MAX. */
size_t kernel_number(struct kernel_names *names, const char *name);

/** The names as an array. */
json_t *kernel_names_json(const struct kernel_names *names);

#endif
