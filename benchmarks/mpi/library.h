/* SPDX-License-Identifier: BSD-3-Clause
 * Which MPI library is loaded. */
#ifndef POLLUX_BENCHMARKS_MPI_LIBRARY_H
#define POLLUX_BENCHMARKS_MPI_LIBRARY_H

enum { LIBRARY_TEXT_SIZE = 64 };

/** Its name, as "Open MPI".
 * @param[out] version LIBRARY_TEXT_SIZE; "unknown" where it does not say */
const char *library_name(char *version);

#endif
