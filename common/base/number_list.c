/* SPDX-License-Identifier: BSD-3-Clause
 * Digits only: strtoull alone would take signs and spaces. */
#include "common/base/number_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/message.h"

static bool is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

size_t number_parse(const char *text, const char *option, size_t least, size_t most)
{
    errno = 0;
    unsigned long long value = is_number(text) ? strtoull(text, NULL, 10) : 0;
    if (!is_number(text) || errno == ERANGE || value < least || value > most)
        message_fatal(POLLUX_USAGE, "%s %s: must be an integer from %zu to %zu", option,
                      quoted(text).text, least, most);
    return (size_t)value;
}

static void list_add(struct number_list *list, size_t value, const char *option)
{
    if (list->count == LIST_MAX)
        message_fatal(POLLUX_USAGE, "%s: at most %d values are allowed", option, LIST_MAX);
    list->value[list->count++] = value;
}

static size_t step_parse(const char *text, const char *option)
{
    char name[64];
    snprintf(name, sizeof name, "%s: STEP", option);
    return number_parse(text, name, 1, NUMBER_MAX);
}

void number_list_add_range(struct number_list *list, const char *text, const char *option,
                           size_t least, size_t most)
{
    char *copy = text_copy(text), *rest = copy;
    char *start = strsep(&rest, ":"), *stop = strsep(&rest, ":"), *step = strsep(&rest, ":");
    if (!stop || !step || rest || !is_number(start) || !is_number(stop) || !is_number(step))
        message_fatal(POLLUX_USAGE, "%s %s: a range is START:STOP:STEP, three integers", option,
                      quoted(text).text);
    size_t first = number_parse(start, option, least, most);
    size_t last = number_parse(stop, option, least, most);
    size_t by = step_parse(step, option);
    if (first > last)
        message_fatal(POLLUX_USAGE, "%s %s: the range is empty, START must not exceed STOP", option,
                      quoted(text).text);
    for (size_t value = first; value <= last; value += by)
        list_add(list, value, option);
    free(copy);
}

struct number_list number_list_parse(const char *text, const char *option, size_t least,
                                     size_t most)
{
    struct number_list list = {0};
    char *copy = text_copy(text), *rest = copy;
    for (char *item; (item = strsep(&rest, ","));) {
        if (strchr(item, ':'))
            number_list_add_range(&list, item, option, least, most);
        else
            list_add(&list, number_parse(item, option, least, most), option);
    }
    free(copy);
    return list;
}
