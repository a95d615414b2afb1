/* SPDX-License-Identifier: BSD-3-Clause
 * A factorization has few kernels: a list is searched as fast as anything else. */
#include "common/output/kernel_list.h"

#include <stdlib.h>
#include <string.h>

size_t kernel_number(struct kernel_list *list, const struct kernel *kernel)
{
    for (size_t i = 0; i < list->name_count; i++)
        if (list->name[i] == kernel->name || strcmp(list->name[i], kernel->name) == 0)
            return i;
    if (list->name_count == KERNELS_MAX)
        abort();
    list->name[list->name_count] = kernel->name;
    return list->name_count++;
}

static size_t operation_number(struct kernel_list *list, const struct kernel *kernel)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->kernel[i] == kernel)
            return i;
    if (list->count == KERNELS_MAX)
        abort();
    list->kernel[list->count] = kernel;
    return list->count++;
}

void kernel_list_describe(const struct kernel_list *list, json_t *header)
{
    json_t *names = json_array(), *operations = json_array();
    for (size_t i = 0; i < list->name_count; i++)
        json_array_append_new(names, json_string(list->name[i]));
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(operations, kernel_json(list->kernel[i]));
    json_object_set_new(header, "kernels", names);
    json_object_set_new(header, "operations", operations);
}

const char *const work_columns[WORK_COLUMNS] = {"operation", "flops", "bytes", "block", "rows"};

void work_numbers(struct kernel_list *list, const struct kernel *kernel, struct call_sizes sizes,
                  int64_t *numbers)
{
    struct call_work work = work_of_call(kernel, sizes);
    numbers[0] = (int64_t)operation_number(list, kernel);
    numbers[1] = work.flops;
    numbers[2] = work.bytes;
    numbers[3] = work.block;
    numbers[4] = work.rows;
}
