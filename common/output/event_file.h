/* SPDX-License-Identifier: BSD-3-Clause
 * Files of traces and graphs: a JSON object, then one array of whole numbers per line
 * (docs/traces.md). */
#ifndef POLLUX_COMMON_EVENT_FILE_H
#define POLLUX_COMMON_EVENT_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct event_file {
    FILE *stream; /**< NULL: none */
    const char *path;
    bool begun; /**< something was written; until then, the file holds what it held before */
};

/** Opens the file for writing; the first header empties it. Ends the program with POLLUX_USAGE if that fails.
 * @param[in] path NULL: nothing is opened */
struct event_file event_file_open(const char *path);

/** Writes an object on a line of its own. */
void event_file_header(struct event_file *file, const json_t *header);

/** Writes an array of numbers on a line of its own. */
void event_file_numbers(struct event_file *file, const int64_t *numbers, size_t count);

/** Flushes all lines; ends the program with POLLUX_MACHINE if they did not fit. */
void event_file_flush(struct event_file *file);

/** Closes the file, if it was opened. */
void event_file_close(struct event_file *file);

#endif
