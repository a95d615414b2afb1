/* SPDX-License-Identifier: BSD-3-Clause
 * Files of the build that the program belongs to, in its build folder or installed. */
#ifndef POLLUX_COMMON_TREE_H
#define POLLUX_COMMON_TREE_H

#include <limits.h>
#include <stdbool.h>

/**
 * The real path of a file of this build, such as lib/x.so: the program itself is in bin/ beside it.
 * @param[out] path empty where there is none
 * @return whether it exists
 */
bool tree_file(const char *name, char path[PATH_MAX]);

#endif
