/* SPDX-License-Identifier: BSD-3-Clause
 * What a pattern is: a task graph of any size, the addresses that its tasks name, and the order that they
 * must keep. patterns.c has the table of all. */
#ifndef POLLUX_MICRO_PATTERN_H
#define POLLUX_MICRO_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "micro/graph.h"

enum { ITEMS_MAX = 64 };

struct algorithm;

/** What the priority clauses of tasks say. */
enum clauses {
    CLAUSES_ABSENT, /**< tasks have none */
    CLAUSES_EQUAL,
    CLAUSES_RANDOM
};

/** The highest priority of a task. */
enum { TASK_PRIORITY_MAX = 32 };

/** One instance of a pattern. */
struct shape {
    size_t tasks; /**< at least 1 */
    size_t items; /**< of each task, where the pattern lets the user choose; else 1 */
    uint64_t seed;
    const struct algorithm *algorithm; /**< of a factorization; else NULL */
    enum clauses priorities;           /**< of patterns that let the user choose */
};

/** Addresses by their numbers. */
struct range {
    size_t first, end;
};

struct run;

struct pattern {
    const char *name;
    const char *summary;    /**< one line */
    unsigned needs;         /**< set of enum capability: what it needs beyond the base */
    bool chosen_items;      /**< --items says how many items a task has */
    bool chosen_priorities; /**< --priorities says what its priority clauses say */
    bool one_at_a_time;     /**< tasks exclude each other where they do not wait for each other */
    /** How many addresses its tasks name. */
    size_t (*addresses)(const struct shape *shape);
    /** Those that are named by tasks without predecessors. Whoever writes all of these before holds every task
     * back. NULL: nothing can. */
    struct range (*roots)(const struct shape *shape);
    const char *ungated; /**< why nothing can hold the tasks back; NULL where `roots` is not */
    /** Adds each task with its predecessors: by definition of the pattern, not by depend items. */
    void (*define)(const struct shape *shape, struct graph *graph);
    /** What `create` needs besides the addresses, for run->prepared. NULL: nothing. */
    void *(*prepare)(struct run *run);
    void (*release)(void *prepared); /**< NULL: nothing is to be released */
    /** Creates the tasks, in the order of their numbers; NULL if this build's compiler cannot. */
    void (*create)(struct run *run);
    /** Calls the tasks' code in this order, as functions. NULL: that is run_task of each. */
    void (*call)(struct run *run);
    const struct algorithm *algorithm; /**< of a factorization (factorization.h); else NULL */
};

/** All of them; the last is followed by NULL. */
extern const struct pattern *const patterns[];

/** The smallest number of tasks that the pattern can have, of those not below `least`. */
size_t pattern_fit(const struct pattern *pattern, size_t least);

/** One instance of it. @param[in] tasks a number that it can have */
struct shape pattern_shape(const struct pattern *pattern, size_t tasks, size_t items,
                           uint64_t seed);

/** The side of the smallest square of so many tasks: width of the patterns with rows. */
size_t pattern_width(size_t tasks);

#endif
