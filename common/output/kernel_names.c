/* SPDX-License-Identifier: BSD-3-Clause
 * A factorization has few kernels: a list is searched as fast as anything else. */
#include "common/output/kernel_names.h"

#include <stdlib.h>
#include <string.h>

size_t kernel_number(struct kernel_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] == name || strcmp(names->name[i], name) == 0)
            return i;
    if (names->count == KERNEL_NAMES_MAX)
        abort();
    names->name[names->count] = name;
    return names->count++;
}

json_t *kernel_names_json(const struct kernel_names *names)
{
    json_t *list = json_array();
    for (size_t i = 0; i < names->count; i++)
        json_array_append_new(list, json_string(names->name[i]));
    return list;
}
