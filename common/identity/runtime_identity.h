/* SPDX-License-Identifier: BSD-3-Clause
 * Which OpenMP runtime is actually loaded, whatever the program was built for. */
#ifndef POLLUX_COMMON_RUNTIME_IDENTITY_H
#define POLLUX_COMMON_RUNTIME_IDENTITY_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

enum { RUNTIME_ORIGIN_SIZE = 1024 };

/** One OpenMP runtime library. */
struct runtime_library {
    char name[32];    /**< libgomp, libomp, libiomp5, libkomp, bolt, xkaapi, ompss or unknown */
    char version[32]; /**< as runtime_version writes it; empty if unknown */
    char path[PATH_MAX];
    char soname[128];  /**< empty if the object has none */
    char build_id[96]; /**< empty if the object has none */
    bool gomp, kmp;    /**< the entry points that it offers: GCC's, LLVM's */
    bool ompt;         /**< it supports tools through OMPT */
};

/** The runtime of this process. */
struct runtime_identity {
    char name[32];    /**< as in struct runtime_library */
    char version[32]; /**< likewise */
    char path[PATH_MAX];
    char build_id[96];
    bool ompt;
    const char *abi; /**< entry points this program calls: GOMP, KMP or NANOX */
    const char *expected;
    const char *expected_path;        /**< POLLUX_EXPECT_RUNTIME_PATH, or NULL */
    bool live;                        /**< something in the process calls it */
    char origin[RUNTIME_ORIGIN_SIZE]; /**< who loaded it */
    char second[PATH_MAX]; /**< path of another OpenMP runtime in the process, or empty */
    char second_text[2 *
                     PATH_MAX]; /**< its name, path, who loaded it, and whether anything calls it */
    char missing[64]; /**< an entry point that the program calls and the runtime lacks, or empty */
    char own[PATH_MAX]; /**< the build's own runtime, where another file was loaded; or empty */
};

/** Identifies by the owners of the entry points that the program calls, not by file names. */
struct runtime_identity runtime_identify(void);

/** Checks for a second runtime; for a runtime other than expected (POLLUX_EXPECT_RUNTIME, else the
 * one the build was configured for); for a file other than expected (POLLUX_EXPECT_RUNTIME_PATH);
 * for one that the environment put in place of the build's own without being announced by either
 * variable; and for entry points that the program calls and the runtime lacks. Prints an error line
 * for each fault.
 * @return true if all is right */
bool runtime_check(const struct runtime_identity *identity);

/** False for libomp 15 and 16, which occasionally hang where a task has a priority (LLVM issue
 * 62867), and for a libomp that may be one of these. */
bool runtime_priorities_are_safe(const struct runtime_identity *identity);

/** The record's `runtime` object, without the environment. */
json_t *runtime_json(const struct runtime_identity *identity);

/** Describes a library of this process, its program's runtime or not.
 * @param[in] path its real path
 * @return false if it is not loaded, or no OpenMP runtime */
bool runtime_describe(const char *path, struct runtime_library *library);

/** One line of JSON about a library, as `identify` prints it. */
json_t *runtime_library_json(const struct runtime_library *library);

/** For people: the version, or that it is not known. */
static inline const char *version_in_words(const char *version)
{
    return version[0] ? version : "of unknown version";
}

#endif
