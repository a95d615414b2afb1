/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/base/choice.h"

#include <stdio.h>
#include <string.h>

#include "common/base/message.h"

size_t choice_parse(const char *text, const char *option, const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++)
        if (strcmp(text, choices[i]) == 0)
            return i;
    char known[128] = "";
    for (size_t i = 0; choices[i]; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", choices[i]);
    }
    message_fatal(POLLUX_USAGE, "%s %s: unknown; choose from %s", option, quoted(text).text, known);
}
