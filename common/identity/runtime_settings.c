/* SPDX-License-Identifier: BSD-3-Clause
 * The variables of runtimes.json. Nanos++, which has one variable for many options, is handled separately. */
#include "common/identity/runtime_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/message.h"
#include "common/identity/runtimes.h"

/* Nanos++ reads options from NX_ARGS. Without the first, main may continue on another thread
 * after a taskwait, with that thread's number; the second switches off priorities, which are on
 * by default. */
static const char NANOS_OPTIONS[] = "NX_ARGS";
static const char TIE_MAIN[] = "--force-tie-master";
static const char NO_PRIORITIES[] = "--no-schedule-priority";

static bool is_nanos(const struct runtime_identity *runtime)
{
    return strcmp(runtime->name, "ompss") == 0;
}

/* The user's options and those that are missing, or NULL if none is missing. Never freed: the
 * program restarts itself with it. */
static const char *nanos_options(bool priorities)
{
    const char *found = getenv(NANOS_OPTIONS);
    const char *given = found ? found : "";
    bool free_main = !strstr(given, TIE_MAIN);
    bool unwanted = !priorities && !strstr(given, NO_PRIORITIES);
    char *options = NULL;
    if (!free_main && !unwanted)
        return NULL;
    if (asprintf(&options, "%s%s%s%s%s", given, given[0] && free_main ? " " : "",
                 free_main ? TIE_MAIN : "", unwanted ? " " : "", unwanted ? NO_PRIORITIES : "") < 0)
        message_fatal(POLLUX_MACHINE, "no memory");
    return options;
}

size_t runtime_settings(const struct runtime_identity *runtime, bool priorities,
                        struct setting *settings)
{
    size_t count = 0;
    for (const struct runtime_variable *v = runtime_variables; v->runtime; v++) {
        if (strcmp(v->runtime, runtime->name) != 0 || getenv(v->name))
            continue;
        if (count == RUNTIME_SETTINGS_MAX - 1)
            abort();
        settings[count++] = (struct setting){v->name, v->value};
    }
    const char *options = is_nanos(runtime) ? nanos_options(priorities) : NULL;
    if (options)
        settings[count++] = (struct setting){NANOS_OPTIONS, options};
    return count;
}

bool runtime_settings_priorities(const struct runtime_identity *runtime)
{
    const char *options = getenv(NANOS_OPTIONS);
    return is_nanos(runtime) && !(options && strstr(options, NO_PRIORITIES));
}

bool runtime_settings_can_bind(const struct runtime_identity *runtime)
{
    for (const struct runtime_entry *entry = runtime_entries; entry->name; entry++)
        if (strcmp(entry->name, runtime->name) == 0)
            return entry->binds_threads;
    return true;
}
