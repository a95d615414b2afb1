/* SPDX-License-Identifier: BSD-3-Clause
 * The C library's, checked. */
#include "common/base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"

void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        message_fatal(POLLUX_MACHINE, "no memory");
    return memory;
}

char *text_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(zeros(bytes, 1), text, bytes);
}
