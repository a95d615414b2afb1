/* SPDX-License-Identifier: BSD-3-Clause
 * What a character is, jansson decides, since it refuses strings that hold anything else. */
#include "common/base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

static const char REPLACEMENT[] = "\xef\xbf\xbd";

/* The bytes of the character that the text begins with; 0: there is none. */
static size_t character_bytes(const char *text)
{
    for (size_t bytes = 1; bytes <= 4 && text[bytes - 1]; bytes++) {
        json_t *character = json_stringn(text, bytes);
        json_decref(character);
        if (character)
            return bytes;
    }
    return 0;
}

static json_t *replaced(const char *text)
{
    size_t used = 0;
    char *valid = zeros(strlen(text), strlen(REPLACEMENT));
    while (*text) {
        size_t bytes = character_bytes(text), added = bytes > 0 ? bytes : strlen(REPLACEMENT);
        memcpy(valid + used, bytes > 0 ? text : REPLACEMENT, added);
        used += added;
        text += bytes > 0 ? bytes : 1;
    }
    json_t *json = json_stringn(valid, used);
    free(valid);
    return json;
}

json_t *json_text(const char *text)
{
    json_t *json = json_string(text);
    return json ? json : replaced(text);
}

json_t *json_text_or_null(const char *text)
{
    return text[0] ? json_text(text) : json_null();
}

json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}
