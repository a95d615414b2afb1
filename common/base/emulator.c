/* SPDX-License-Identifier: BSD-3-Clause
 * The emulator's own options are not known here: a script has them. */
#include "common/base/emulator.h"

#include <stdlib.h>

static char *named(void)
{
    char *emulator = getenv(EMULATOR_VARIABLE);
    return emulator && *emulator ? emulator : NULL;
}

bool emulator_named(void)
{
    return named() != NULL;
}

char **emulator_words(char *program, char *const *argv)
{
    size_t given = 1, count = 0;
    while (argv[given])
        given++;
    char **words = calloc(given + 2, sizeof *words);
    if (!words)
        return NULL;
    if (named())
        words[count++] = named();
    words[count++] = program;
    for (size_t i = 1; i < given; i++)
        words[count++] = argv[i];
    return words;
}
