/* SPDX-License-Identifier: BSD-3-Clause
 * The restarted process finds in POLLUX_RESTARTED the names that were changed (common/base/restart.c), and in
 * POLLUX_FOUND_<name> the values they had. `pollux run` starts processes with both, to save them the
 * restart (scripts/pollux/core/executables/variables.py). */
#include "common/process/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/text.h"
#include "common/machine/affinity.h"

extern char **environ;

static const char FOUND_PREFIX[] = "POLLUX_FOUND_";

static const char *const prefixes[] = {"OMP_",
                                       "GOMP_",
                                       "KMP_",
                                       "LIBOMP_",
                                       "OPENBLAS_",
                                       "BLIS_",
                                       "MKL_",
                                       "ABT_",
                                       "NX_",
                                       "XKAAPI_",
                                       "KAAPI_",
                                       "XKRT_",
                                       "LOGGER_VERBOSE",
                                       "MPIX_DETACH",
                                       "GOTO_NUM_THREADS",
                                       "LD_LIBRARY_PATH",
                                       "LD_PRELOAD"};

static void found_name(const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s%s", FOUND_PREFIX, name);
}

void environment_restart(char **argv, const struct setting *settings)
{
    for (const struct setting *s = settings; s->name; s++) {
        char found[128];
        const char *value = getenv(s->name);
        found_name(s->name, found, sizeof found);
        if (value)
            setenv(found, value, 1);
    }
    affinity_restore();
    restart_program(argv, settings);
}

/* Whether the restart changed the variable of that name. */
static bool was_set(const char *name, size_t length)
{
    const char *names = getenv(RESTART_MARK);
    return names && text_lists(names, name, length);
}

static bool is_relevant(const char *entry)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Adds the variable of an "NAME=value" entry, as found or as set. */
static void add_entry(json_t *object, const char *entry, bool as_set)
{
    char name[128], found[160];
    size_t length = strcspn(entry, "=");
    if (entry[length] == '\0' || length >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)length, entry);
    bool changed = was_set(name, length);
    found_name(name, found, sizeof found);
    const char *value = changed && !as_set ? getenv(found) : entry + length + 1;
    if (value && (changed || !as_set))
        json_object_set_new(object, name, json_text(value));
}

static json_t *collect(bool as_set)
{
    json_t *object = json_object();
    for (char **entry = environ; *entry; entry++)
        if (is_relevant(*entry))
            add_entry(object, *entry, as_set);
    return object;
}

json_t *environment_found(void)
{
    return collect(false);
}

json_t *environment_set(void)
{
    return collect(true);
}

void environment_forget(void)
{
    const char *names = getenv(RESTART_MARK);
    char copy[512], found[160];
    if (!names)
        return;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *rest = copy, *name; (name = strsep(&rest, ","));) {
        found_name(name, found, sizeof found);
        unsetenv(found);
    }
    restart_forget();
}
