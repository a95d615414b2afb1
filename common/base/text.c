/* SPDX-License-Identifier: BSD-3-Clause
 * A list is read from one comma to the next. */
#include "common/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void text_add_item(char *list, size_t size, const char *separator, const char *item)
{
    text_append(list, size, "%s%s", list[0] ? separator : "", item);
}

bool text_lists(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at;) {
        size_t field = strcspn(at, ",");
        if (field == length && strncmp(at, word, length) == 0)
            return true;
        at += field + (at[field] == ',');
    }
    return false;
}
