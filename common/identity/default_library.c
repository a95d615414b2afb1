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

const char *default_library_path(char *line, const char *soname)
{
    static const char ARROW[] = " => ";
    char *arrow = strstr(line, ARROW);
    if (!arrow)
        return NULL;
    *arrow = '\0';
    char *path = arrow + strlen(ARROW), *address = strrchr(path, '(');
    if (address && address > path)
        address[-1] = '\0';
    const char *name = line + strspn(line, " \t");
    return path[0] == '/' && strcmp(name, soname) == 0 ? path : NULL;
}

bool default_library(const char *soname, char *path)
{
    char *argv[] = {NULL, NULL}, *environment[] = {(char[]){"LD_TRACE_LOADED_OBJECTS=1"}, NULL};
    struct rerun listing;
    bool found = false;
    if (rerun(argv, environment, SECONDS_LIMIT, &listing))
        for (char *rest = listing.output, *line; (line = strsep(&rest, "\n"));) {
            const char *named = default_library_path(line, soname);
            if (named)
                found = realpath(named, path) != NULL;
        }
    rerun_release(&listing);
    return found;
}
