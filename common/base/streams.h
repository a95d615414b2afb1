/* SPDX-License-Identifier: BSD-3-Clause
 * What happens at the start of every program that links this folder's library, even if it calls nothing
 * here (CMakeLists.txt): the standard streams are open, a write beyond the limit on file sizes
 * (RLIMIT_FSIZE) fails, so that it is reported, instead of ending the process, and processes that it starts can be waited
 * for. */
#ifndef POLLUX_COMMON_STREAMS_H
#define POLLUX_COMMON_STREAMS_H

/** Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed: the next file that is
 * opened would take its number otherwise, and a table on standard output end up in that file. Ends
 * the program with one line and POLLUX_MACHINE where /dev/null cannot be opened. Runs by itself,
 * before the constructors of shared libraries. */
void streams_open(void);

#endif
