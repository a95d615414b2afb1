/* SPDX-License-Identifier: BSD-3-Clause
 * All texts come from the benchmark's tables. */
#include "common/driver/benchmark_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/choice.h"
#include "common/base/message.h"
#include "common/run/parameters.h"

/* Appends to text in a buffer of HELP_SIZE, with a separator where it is not the first. */
static void append(char *text, const char *separator, const char *item)
{
    size_t used = strlen(text);
    snprintf(text + used, HELP_SIZE - used, "%s%s", used > 0 ? separator : "", item);
}

struct argp_option parameter_option(const struct parameter *p, int key, struct parameter_help *help)
{
    char standard[PARAMETER_TEXT_SIZE];
    for (size_t w = 0; p->words && p->words[w]; w++)
        append(help->metavar, "|", p->words[w]);
    if (!p->words)
        snprintf(help->metavar, HELP_SIZE, "%s[,%s...]", p->metavar, p->metavar);
    snprintf(help->text, HELP_SIZE, "%s (%s)", p->summary,
             parameter_text(p, p->standard, standard));
    return (struct argp_option){p->name, key, help->metavar, 0, help->text, 1};
}

size_t standard_size(const struct benchmark *benchmark)
{
    return benchmark->standard_size > 0 ? benchmark->standard_size : STANDARD_SIZE;
}

void size_option(const struct benchmark *benchmark, struct argp_option *option,
                 struct benchmark_help *help)
{
    snprintf(help->size, HELP_SIZE, "%s (%zu)", option->doc, standard_size(benchmark));
    option->doc = help->size;
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
                    struct benchmark_help *help)
{
    char owners[HELP_SIZE] = "";
    for (enum kernel_set set = 0; set < KERNEL_SETS; set++)
        if (benchmark->kernel_sets & (1u << set)) {
            append(help->kernels_metavar, "|", kernel_set_names[set]);
            append(owners, ", or ", kernel_set_owners[set]);
        }
    snprintf(help->kernels, HELP_SIZE, "whose kernels compute: %.150s (%s)", owners,
             kernel_set_names[default_kernels(benchmark)]);
    option->arg = help->kernels_metavar;
    option->doc = help->kernels;
}

static struct number_list words_parse(const struct parameter *parameter, const char *text,
                                      const char *option)
{
    struct number_list list = {0};
    char *copy = strdup(text), *rest = copy;
    if (!copy)
        message_fatal(POLLUX_MACHINE, "no memory");
    for (char *word; (word = strsep(&rest, ","));) {
        if (list.count == LIST_MAX)
            message_fatal(POLLUX_USAGE, "%s: at most %d values are allowed", option, LIST_MAX);
        list.value[list.count++] = choice_parse(word, option, parameter->words);
    }
    free(copy);
    return list;
}

struct number_list parameter_parse(const struct parameter *parameter, const char *text)
{
    char option[64];
    snprintf(option, sizeof option, "--%s", parameter->name);
    return parameter->words ? words_parse(parameter, text, option)
                            : number_list_parse(text, option, parameter->least, parameter->most);
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
