/* SPDX-License-Identifier: BSD-3-Clause
 * What is known of each runtime: the tables that the build makes from runtimes.json. The name of the last row of each
 * is NULL. */
#ifndef POLLUX_COMMON_IDENTITY_RUNTIMES_H
#define POLLUX_COMMON_IDENTITY_RUNTIMES_H

#include <stdbool.h>

/** How a runtime is recognised: an object that defines `defines`, where that is given, and that has one of the other
 * marks, where there are any. The first row that fits holds. */
struct runtime_entry {
    const char *name;
    const char *defines; /**< an entry point that it defines itself; NULL: any object */
    const char *file;    /**< part of the name of its file, or NULL */
    const char *symbol;  /**< that it or what it depends on has, or NULL */
    const char *text;    /**< that it contains, or NULL */
    bool binds_threads;  /**< false: no variable binds its threads to processors */
};

/** A variable of the environment that a runtime needs. */
struct runtime_variable {
    const char *runtime;
    const char *name, *value;
};

/** What some versions of a runtime lack. */
struct runtime_lack {
    const char *runtime;
    int least, most;       /**< versions; 0 and INT_MAX: all */
    unsigned capabilities; /**< of enum capability */
    const char *abi;       /**< the entry points for which that is so; NULL: all */
    const char *evidence;
};

extern const struct runtime_entry runtime_entries[];
extern const struct runtime_variable runtime_variables[];
extern const struct runtime_lack runtime_lacks[];
/** Runtimes that accept the priority clause and ignore it (rule `priority` of conformance/). */
extern const struct runtime_lack runtime_ignored_priorities[];

#endif
