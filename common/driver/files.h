/* SPDX-License-Identifier: BSD-3-Clause
 * The files that the options name must differ from each other and from standard output. */
#ifndef POLLUX_COMMON_FILES_H
#define POLLUX_COMMON_FILES_H

#include "common/driver/options.h"

/** Ends the program with one line and POLLUX_USAGE where a file would be written by two, or would
 * overwrite the matrix that is read. Call it before any of them is opened. */
void files_check(const struct options *options);

#endif
