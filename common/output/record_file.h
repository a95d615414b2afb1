/* SPDX-License-Identifier: BSD-3-Clause
 * A file of records, one JSON object per line, in which no incomplete line remains. */
#ifndef POLLUX_COMMON_RECORD_FILE_H
#define POLLUX_COMMON_RECORD_FILE_H

#include <jansson.h>

struct record_file {
    int descriptor; /**< -1: no file */
    const char *path;
};

/** Opens a file to append to, creating it if need be, and ends a last line that a killed process
 * left unfinished; one that another process is still writing is waited for. A NULL path makes a
 * file that discards everything. Ends the program with POLLUX_USAGE if the file cannot be opened
 * for writing. */
struct record_file record_file_open(const char *path);

/** Appends one line in a single write. If that fails, a partly written line is removed if it is
 * still the last one, the record goes to standard error so that it is not lost, and the program ends
 * with POLLUX_MACHINE. So it does where another program has renamed or removed the file. */
void record_file_append(struct record_file *file, const json_t *record);

/** Closes the file; ends the program with POLLUX_MACHINE if the system then reports an error. */
void record_file_close(struct record_file *file);

#endif
