/* SPDX-License-Identifier: BSD-3-Clause
 * The dynamic linker itself gives the answer: with LD_TRACE_LOADED_OBJECTS it lists the
 * program's libraries ("NAME => PATH (ADDRESS)") and exits without running any of their code. */
#include "common/identity/default_library.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/rerun.h"

enum { SECONDS_LIMIT = 10 };

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0';
}

bool default_library_overridden(void)
{
    return is_set("LD_LIBRARY_PATH") || is_set("LD_PRELOAD") || is_set("LD_AUDIT");
}

/* The path of the line about this library, or NULL. The line is changed. */
static const char *path_of_line(char *line, const char *soname)
{
    char *rest = NULL;
    const char *name = strtok_r(line, " \t", &rest);
    const char *arrow = strtok_r(NULL, " \t", &rest);
    const char *path = strtok_r(NULL, "(\n", &rest);
    if (!path || strcmp(name, soname) != 0 || strcmp(arrow, "=>") != 0 || path[0] != '/')
        return NULL;
    size_t length = strcspn(path, " ");
    if (path[length] == ' ')
        line[(size_t)(path - line) + length] = '\0';
    return path;
}

bool default_library(const char *soname, char *path)
{
    char *argv[] = {NULL, NULL}, *environment[] = {(char[]){"LD_TRACE_LOADED_OBJECTS=1"}, NULL};
    struct rerun listing;
    bool found = false;
    if (rerun(argv, environment, SECONDS_LIMIT, &listing))
        for (char *rest = listing.output, *line; (line = strsep(&rest, "\n"));) {
            const char *named = path_of_line(line, soname);
            if (named)
                found = realpath(named, path) != NULL;
        }
    rerun_release(&listing);
    return found;
}
