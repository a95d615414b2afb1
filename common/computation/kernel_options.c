/* SPDX-License-Identifier: BSD-3-Clause
 * All texts come from the benchmark's tables. */
#include <stdio.h>
#include <string.h>

#include "common/base/command_line.h"
#include "common/base/message.h"
#include "common/base/text.h"
#include "common/computation/session.h"

size_t standard_size(const struct benchmark *benchmark)
{
    return benchmark->standard_size > 0 ? benchmark->standard_size : STANDARD_SIZE;
}

/* The names of the sets that the benchmark has, ended by NULL. */
static void names_of(const struct benchmark *benchmark, const char *names[KERNEL_SETS + 1])
{
    size_t count = 0;
    for (enum kernel_set set = 0; set < KERNEL_SETS; set++)
        if (benchmark->kernel_sets & (1u << set))
            names[count++] = kernel_set_names[set];
    names[count] = NULL;
}

void kernels_option(const struct benchmark *benchmark, struct argp_option *option,
                    struct parameter_help *help)
{
    char owners[HELP_SIZE] = "";
    for (enum kernel_set set = 0; set < KERNEL_SETS; set++)
        if (benchmark->kernel_sets & (1u << set)) {
            text_add_item(help->metavar, HELP_SIZE, "|", kernel_set_names[set]);
            text_add_item(owners, sizeof owners, ", or ", kernel_set_owners[set]);
        }
    snprintf(help->text, HELP_SIZE, "whose kernels compute: %.150s (%s)", owners,
             kernel_set_names[default_kernels(benchmark)]);
    option->arg = help->metavar;
    option->doc = help->text;
}

enum kernel_set default_kernels(const struct benchmark *benchmark)
{
    enum kernel_set set = 0;
    while (set < KERNEL_SETS - 1 && !(benchmark->kernel_sets & (1u << set)))
        set++;
    return set;
}

const char *kernels_missing(const struct benchmark *benchmark, enum kernel_set set)
{
    return benchmark->kernels_missing ? benchmark->kernels_missing(set) : NULL;
}

enum kernel_set kernels_parse(const struct benchmark *benchmark, const char *text)
{
    const char *names[KERNEL_SETS + 1];
    names_of(benchmark, names);
    const char *name = names[choice_parse(text, "--kernels", names)];
    enum kernel_set set = 0;
    while (kernel_set_names[set] != name)
        set++;
    return set;
}
