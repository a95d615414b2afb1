/* SPDX-License-Identifier: BSD-3-Clause
 * A text file line by line, with limits: devices are refused, lines have a greatest length, and a pipe
 * must not fall silent. */
#ifndef POLLUX_COMMON_TEXT_FILE_H
#define POLLUX_COMMON_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/matrix/refusal.h"

enum {
    TEXT_LINE_MAX = 1024,    /* characters of a line, the limit of the Matrix Market format */
    TEXT_PATIENCE_MS = 60000 /* how long a pipe may send nothing */
};

struct text_file {
    const char *path;
    int descriptor;
    int patience_ms; /**< -1: a file on disk, which always answers */
    size_t begin, end;
    bool ended;
    size_t line; /**< number of the line in `text`, the first is 1 */
    size_t length;
    char text[TEXT_LINE_MAX + 1]; /**< the line, ended by a zero byte; may contain others */
    char buffer[1 << 16];
};

/** Opens a file or a pipe; close it with text_file_close.
 * @param[in] path kept, not copied
 * @param[in] patience_ms how long a pipe may send nothing */
bool text_file_open(struct text_file *file, const char *path, int patience_ms,
                    struct refusal *refusal);

/** Reads the next line, without its newline, into `text`.
 * @param[out] found false at the end of the file
 * @return false if the line is too long, or cannot be read */
bool text_file_line(struct text_file *file, bool *found, struct refusal *refusal);

void text_file_close(struct text_file *file);

#endif
