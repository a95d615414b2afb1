/* SPDX-License-Identifier: BSD-3-Clause
 * The files that the options name must differ from each other and from standard output. */
#ifndef POLLUX_COMMON_FILES_H
#define POLLUX_COMMON_FILES_H

#include <stdbool.h>
#include <stddef.h>

/** A file by the option that names it. */
struct named_file {
    const char *option;
    const char *path; /**< NULL: not given */
    bool apart;       /**< it must not be standard output or standard error either */
};

/** Ends the program with one line and POLLUX_USAGE where a file would be written by two, or would
 * overwrite one that is read. Call it before any of them is opened. */
void files_check(const struct named_file *files, size_t count);

/** Whether two files are in the same folder, whatever its name. */
bool files_are_neighbours(const char *a, const char *b);

#endif
