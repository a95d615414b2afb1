/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers for the kernels in traces and graphs, and the columns that state the work of a call. */
#ifndef POLLUX_COMMON_KERNEL_LIST_H
#define POLLUX_COMMON_KERNEL_LIST_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "common/execution/kernel.h"

enum { KERNELS_MAX = 64 };

/** The kernels seen so far, numbered from 0; borrowed. */
struct kernel_list {
    size_t name_count, count;
    const char *name[KERNELS_MAX];
    const struct kernel *kernel[KERNELS_MAX]; /**< several may have one name */
};

/** The number of a kernel's name, a new one if it has none. Aborts at more than KERNELS_MAX. */
size_t kernel_number(struct kernel_list *list, const struct kernel *kernel);

/** The names, and the kernels as objects, as `kernels` and `operations` of a header. */
void kernel_list_describe(const struct kernel_list *list, json_t *header);

/** The names of the columns that state the work of a call. */
extern const char *const work_columns[];

enum { WORK_COLUMNS = 5 };

/** Writes the values of these columns, of which the first is the number of the operation. */
void work_numbers(struct kernel_list *list, const struct kernel *kernel, struct call_sizes sizes,
                  int64_t *numbers);

#endif
