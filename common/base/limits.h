/* SPDX-License-Identifier: BSD-3-Clause
 * The system's limits on threads and address space, and whether a team fits into them: checked before it
 * starts, since runtimes crash, abort or never end where they do not get what they ask for. */
#ifndef POLLUX_COMMON_LIMITS_H
#define POLLUX_COMMON_LIMITS_H

#include <stddef.h>

enum { THREADS_MAX = 65536 }; /* of a team, on any machine */

/** What is left for this process; SIZE_MAX where there is no limit or it is unknown. */
struct limits {
    size_t user_threads;   /**< of RLIMIT_NPROC, which counts all threads of the user */
    size_t system_threads; /**< of kernel.threads-max and kernel.pid_max */
    size_t group_threads;  /**< of the control groups that this process is in */
    size_t mappings;       /**< of vm.max_map_count */
    size_t address_bytes;  /**< of RLIMIT_AS */
    size_t writable_bytes; /**< of RLIMIT_DATA, which counts all private memory since Linux 4.7 */
    size_t stack_bytes;    /**< of the first thread: RLIMIT_STACK */
};

/** What a team needs. */
struct team_needs {
    size_t threads;
    size_t stack_bytes; /**< of each thread but the first */
    size_t blas_bytes;  /**< that BLAS takes for each thread; 0: BLAS is not called */
    size_t data_bytes;
};

/** Reads the limits.
 * @param[in] root where proc/ and sys/ are; "" for those of the system
 * @param[in] threads that are asked for: what cannot matter for so many is not read */
struct limits limits_read(const char *root, size_t threads);

/** Which limit is too low for the team, or NULL.
 * @param[out] text the reason, in one line */
const char *limits_exceeded(const struct limits *limits, const struct team_needs *needs, char *text,
                            size_t size);

/** Ends the program with one line and POLLUX_MACHINE if the team does not fit into the limits. */
void limits_require(const struct team_needs *needs);

/** Bytes left of RLIMIT_AS and RLIMIT_DATA, the fewer, or SIZE_MAX. */
size_t limits_memory_bytes(const char *root);

#endif
