/* SPDX-License-Identifier: BSD-3-Clause
 * Which library this program gets where the environment does not interfere. */
#ifndef POLLUX_COMMON_DEFAULT_LIBRARY_H
#define POLLUX_COMMON_DEFAULT_LIBRARY_H

#include <stdbool.h>

/** True if the environment may have changed which libraries are loaded. */
bool default_library_overridden(void);

/** The path in a line of what the dynamic linker prints, "NAME => PATH (ADDRESS)", if it is about this library, else
 * NULL. The line is changed. */
const char *default_library_path(char *line, const char *soname);

/** Finds the library that the dynamic linker chooses for this program under a name (`soname`)
 * without LD_LIBRARY_PATH and LD_PRELOAD.
 * @param[out] path PATH_MAX bytes: its real path
 * @return false if it finds none */
bool default_library(const char *soname, char *path);

#endif
