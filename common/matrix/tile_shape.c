/* SPDX-License-Identifier: BSD-3-Clause
 * One grammar for the command line, the table of defaults and the reports. */
#include "common/matrix/tile_shape.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/message.h"

const char *const tile_source_names[] = {
    [TILE_TABLE] = "table", [TILE_FASTEST] = "fastest", [TILE_OPTION] = "option"};

/* Reads the digits at *text, and moves past them. */
static bool read_number(const char **text, size_t most, size_t *value)
{
    char *end = NULL;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    unsigned long long number = strtoull(*text, &end, 10);
    *text = end;
    *value = (size_t)number;
    return errno == 0 && number >= 1 && number <= most;
}

struct tile_shape tile_shape_parse(const char *text, const char *option, size_t most)
{
    const char *rest = text;
    size_t first = 0, second = 0;
    bool read = read_number(&rest, most, &first);
    bool square = *rest == '\0';
    if (read && !square) {
        bool times = *rest == 'x';
        rest++;
        read = times && read_number(&rest, most, &second) && *rest == '\0';
    }
    if (!read)
        message_fatal(
            POLLUX_USAGE,
            "%s %s: a tile is NB, MBxNB for MB rows and NB columns, or fastest; numbers are "
            "whole ones from 1 to %zu",
            option, quoted(text).text, most);
    struct tile_shape shape = {first, square ? first : second};
    if (shape.mb % shape.nb != 0)
        message_fatal(POLLUX_USAGE, "%s %s: the rows of a tile must be a multiple of its columns",
                      option, quoted(text).text);
    return shape;
}

static struct tile_request request_parse(const char *item, const char *option)
{
    if (strcmp(item, tile_source_names[TILE_FASTEST]) == 0)
        return (struct tile_request){.source = TILE_FASTEST};
    return (struct tile_request){TILE_OPTION, tile_shape_parse(item, option, NUMBER_MAX)};
}

/* Which heights would go with which widths of a range is not obvious. */
static void add_item(struct tile_list *list, const char *item, const char *option)
{
    struct number_list widths = {0};
    if (strchr(item, ':'))
        number_list_add_range(&widths, item, option, 1, NUMBER_MAX);
    size_t count = widths.count > 0 ? widths.count : 1;
    if (list->count + count > LIST_MAX)
        message_fatal(POLLUX_USAGE, "%s: at most %d values are allowed", option, LIST_MAX);
    for (size_t i = 0; i < count; i++)
        list->value[list->count++] =
            widths.count > 0
                ? (struct tile_request){TILE_OPTION, {widths.value[i], widths.value[i]}}
                : request_parse(item, option);
}

struct tile_list tile_list_parse(const char *text, const char *option)
{
    struct tile_list list = {0};
    char *copy = text_copy(text), *rest = copy;
    for (char *item; (item = strsep(&rest, ","));)
        add_item(&list, item, option);
    free(copy);
    return list;
}

const char *tile_shape_text(struct tile_shape shape, char *text)
{
    if (shape.mb == shape.nb)
        snprintf(text, TILE_SHAPE_TEXT_SIZE, "%zu", shape.nb);
    else
        snprintf(text, TILE_SHAPE_TEXT_SIZE, "%zux%zu", shape.mb, shape.nb);
    return text;
}
