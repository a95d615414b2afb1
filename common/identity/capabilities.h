/* SPDX-License-Identifier: BSD-3-Clause
 * What task graphs need of a runtime, and which runtimes are known to lack it.
 *
 * Every runtime supports the base: tasks created flat from one `single`, at most four items in
 * their depend clauses, `taskwait` without clauses. A variant that needs more declares it in
 * `needs`; under a runtime that lacks it, the variant is left out, with the reason, instead of
 * crashing. */
#ifndef POLLUX_COMMON_CAPABILITIES_H
#define POLLUX_COMMON_CAPABILITIES_H

#include <stdbool.h>
#include <stddef.h>

struct runtime_identity;

/** One bit each; capabilities.c has their descriptions. */
enum capability {
    CAPABILITY_PRIORITIES = 1 << 0,         /**< a priority clause that causes no failure */
    CAPABILITY_MANY_ITEMS = 1 << 1,         /**< more than four depend items on one task */
    CAPABILITY_ITERATORS = 1 << 2,          /**< iterators in depend clauses */
    CAPABILITY_NESTED_TASKS = 1 << 3,       /**< tasks created by tasks, and waited for there */
    CAPABILITY_NESTED_DEPENDENCES = 1 << 4, /**< depend clauses on these */
    CAPABILITY_NESTED_PRIORITIES = 1 << 5,  /**< priorities on these */
    CAPABILITY_AFFINITY = 1 << 6,           /**< affinity clauses */
    CAPABILITY_TASKLOOP = 1 << 7,           /**< taskloop */
    CAPABILITY_INOUTSET = 1 << 8,           /**< depend(inoutset) */
    CAPABILITY_MUTEXINOUTSET = 1 << 9,      /**< depend(mutexinoutset) */
    CAPABILITY_DEPEND_OBJECTS = 1 << 10,    /**< depend objects */
    CAPABILITY_REGIONS = 1 << 11,           /**< parallel regions */
    CAPABILITY_NESTED_REGIONS = 1 << 12,    /**< parallel regions inside tasks and other regions */
    CAPABILITY_DETACH = 1 << 13,            /**< detach clauses */
    CAPABILITY_TEAM_PRIORITIES = 1 << 14,   /**< different priorities of tasks of several threads */
};

enum { CAPABILITY_TEXT_SIZE = 512 };

/** Writes the descriptions of a set of capabilities, joined by commas; an empty text for an empty set.
 * @return text */
const char *capabilities_text(unsigned set, char *text, size_t size);

/** What a runtime does with task priorities, as far as known. */
enum priority_effect {
    PRIORITIES_HONOURED,
    PRIORITIES_IGNORED,  /**< tasks run as if none had a priority */
    PRIORITIES_UNCERTAIN /**< its version, which decides, is not known */
};

/** Whether this runtime honours priorities that are switched on.
 * @param[out] evidence the evidence that it ignores them, else NULL */
enum priority_effect capabilities_priorities(const struct runtime_identity *runtime,
                                             const char **evidence);

/** Writes why something with these needs cannot run, such as "needs …, which libomp 16 lacks: it …".
 * @param[in] compiled false: the compiler lacks what it needs, or the build the library
 * @param[in] library what it needs besides a compiler and a runtime; NULL: nothing
 * @return true if it can run; `text` is empty then */
bool capabilities_allow(const struct runtime_identity *runtime, unsigned needs, bool compiled,
                        const char *library, char *text, size_t size);

#endif
