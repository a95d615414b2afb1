/* SPDX-License-Identifier: BSD-3-Clause
 * Which OpenMP runtime is really loaded, whatever the program was built for. */
#ifndef POLLUX_COMMON_RUNTIME_IDENTITY_H
#define POLLUX_COMMON_RUNTIME_IDENTITY_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

struct runtime_identity {
    char name[32];    /**< libgomp, libomp, libiomp5, libkomp, bolt, xkaapi, ompss or unknown */
    char version[32]; /**< empty if nothing tells */
    char path[PATH_MAX];
    char build_id[96]; /**< empty if the object has none */
    const char *abi;   /**< entry points this program calls: GOMP, KMP or NANOX */
    const char *expected;
    char second[PATH_MAX]; /**< path of a second OpenMP runtime in the process, or empty */
};

/** Identifies by the owners of the entry points, not by file names. */
struct runtime_identity runtime_identify(void);

/** Checks for a second runtime and for another one than expected (POLLUX_EXPECT_RUNTIME, else the
 * one the build was configured for). Prints an error line for what is wrong.
 * @return true if all is right */
bool runtime_check(const struct runtime_identity *identity);

/** False for libomp 15 and 16, which now and then stop for good where a task has a priority (LLVM
 * issue 62867), and for a libomp that may be one of these. */
bool runtime_priorities_are_safe(const struct runtime_identity *identity);

/** The record's `runtime` object, without the environment. */
json_t *runtime_json(const struct runtime_identity *identity);

#endif
