/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/driver/parameter_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/command_line.h"
#include "common/base/memory.h"
#include "common/base/message.h"
#include "common/base/text.h"
#include "common/run/parameters.h"

struct argp_option parameter_option(const struct parameter *p, int key, struct parameter_help *help)
{
    char standard[PARAMETER_TEXT_SIZE];
    for (size_t w = 0; p->words && p->words[w]; w++)
        text_add_item(help->metavar, HELP_SIZE, "|", p->words[w]);
    if (!p->words)
        snprintf(help->metavar, HELP_SIZE, "%s[,%s...]", p->metavar, p->metavar);
    snprintf(help->text, HELP_SIZE, "%s (%s)", p->summary,
             parameter_text(p, p->standard, standard));
    return (struct argp_option){p->name, key, help->metavar, 0, help->text, 1};
}

static struct number_list words_parse(const struct parameter *parameter, const char *text,
                                      const char *option)
{
    struct number_list list = {0};
    char *copy = text_copy(text), *rest = copy;
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
