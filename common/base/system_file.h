/* SPDX-License-Identifier: BSD-3-Clause
 * Small files of /proc and /sys: where these are, one line, one number, the names in a folder. */
#ifndef POLLUX_COMMON_SYSTEM_FILE_H
#define POLLUX_COMMON_SYSTEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYSTEM_PATH_SIZE = 1024 };

/** The folder that contains sys/, proc/ and dev/, for what reads energy, power settings and CPU quotas:
 * POLLUX_SYSTEM_ROOT, or "" for the system's own. Ends the program with one line and POLLUX_USAGE if the variable names
 * no folder with a sys/ in it. */
const char *system_root(void);

/** Formats a path into SYSTEM_PATH_SIZE bytes. One that is too long becomes "", which no file has. */
void system_path(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The first line of a file without its line end.
 * @return 0, or the number of the error */
int system_line(const char *path, char *line, size_t size);

/** What follows in the first line that begins so.
 * @return within `line`; NULL if there is none */
char *system_line_after(const char *path, const char *beginning, char *line, size_t size);

/** A whole number at the begin of the text, alone or followed by a space or line end.
 * @return false for anything else, a sign and numbers of more than 64 bits included */
bool whole_number(const char *text, uint64_t *value);

/** The number in a file.
 * @return false if it cannot be read or is no number */
bool system_number(const char *path, uint64_t *value);

/** Calls visit for every name in a folder but hidden ones, numbers within names in ascending order.
 * @return 0, or the number of the error that made the folder unreadable */
int system_visit(const char *folder, void (*visit)(void *argument, const char *name),
                 void *argument);

#endif
