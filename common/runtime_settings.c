/* SPDX-License-Identifier: BSD-3-Clause
 * One table: runtime, variable, value, and why. */
#include "common/runtime_settings.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *runtime;
    struct setting setting;
} needed[RUNTIME_SETTINGS_MAX] = {
    /* Argobots' stacks for tasks have 16 KiB. OpenBLAS takes more than 8 of them, and an overflow is
     * silent. */
    {"bolt", {"ABT_THREAD_STACKSIZE", "65536"}},
    /* XKRT prints a line for each task, within the time measured. */
    {"xkaapi", {"LOGGER_VERBOSE", "0"}},
};

size_t runtime_settings(const struct runtime_identity *runtime, struct setting *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < RUNTIME_SETTINGS_MAX; i++)
        if (strcmp(needed[i].runtime, runtime->name) == 0 && !getenv(needed[i].setting.name))
            settings[count++] = needed[i].setting;
    return count;
}
