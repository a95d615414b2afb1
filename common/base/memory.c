/* SPDX-License-Identifier: BSD-3-Clause
 * The C library's, checked. */
#include "common/base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"

/* Ends the program where there is no memory. */
static void *checked(void *memory, const char *what, va_list arguments)
{
    char text[160];
    if (memory)
        return memory;
    vsnprintf(text, sizeof text, what, arguments);
    message_fatal(POLLUX_MACHINE, "no memory%s%s", text[0] ? " for " : "", text);
}

void *zeros(size_t count, size_t size)
{
    return zeros_for(count, size, "%s", "");
}

void *zeros_for(size_t count, size_t size, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    void *memory = checked(calloc(count > 0 ? count : 1, size), what, arguments);
    va_end(arguments);
    return memory;
}

void *grown(void *array, size_t count, size_t *capacity, size_t size, const char *what, ...)
{
    enum { FIRST = 16 };
    va_list arguments;
    if (count < *capacity)
        return array;
    *capacity = *capacity > 0 ? 2 * *capacity : FIRST;
    va_start(arguments, what);
    void *larger = checked(reallocarray(array, *capacity, size), what, arguments);
    va_end(arguments);
    return larger;
}

char *text_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(zeros(bytes, 1), text, bytes);
}
