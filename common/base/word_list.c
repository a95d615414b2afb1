/* SPDX-License-Identifier: BSD-3-Clause
 * The list is read from one comma to the next. */
#include "common/base/word_list.h"

#include <string.h>

bool word_list_contains(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at;) {
        size_t field = strcspn(at, ",");
        if (field == length && strncmp(at, word, length) == 0)
            return true;
        at += field + (at[field] == ',');
    }
    return false;
}
