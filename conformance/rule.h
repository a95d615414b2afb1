/* SPDX-License-Identifier: BSD-3-Clause
 * What a conformance program is: one rule of OpenMP, tried repeatedly with different seeds.
 *
 * A rule's file holds pragmas and calls of the functions below, and defines `rule`. All sharing
 * between tasks that is not ordered by the rule itself goes through these functions, so that the
 * files need no atomics and every compiler accepts them. */
#ifndef POLLUX_CONFORMANCE_RULE_H
#define POLLUX_CONFORMANCE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a trial showed, from best to worst: of several, the worst counts. */
enum verdict {
    KEPT,
    IGNORED,    /**< a hint that the runtime may ignore, and does */
    SERIALISED, /**< right, but without the concurrency that the rule allows */
    BROKEN
};

enum { DETAIL_SIZE = 240 };

/** One trial of the rule. */
struct trial {
    size_t threads; /**< of the team that the rule makes */
    uint64_t seed;  /**< everything random about the trial follows from it */
    uint64_t random_seed, random_index;
    int clock;
    int verdict; /**< the worst so far, enum verdict */
    char detail[DETAIL_SIZE];
};

/** A rule, as the programs print it and docs/conformance.md lists it. */
struct rule {
    const char *name;      /**< the file's, with hyphens */
    const char *statement; /**< what OpenMP demands, in one sentence */
    const char *source;    /**< where it is specified, e.g. "OpenMP 5.2, 15.9.5" */
    const char *variable;  /**< NAME=VALUE that must be in the environment at start, or NULL */
    double effort;         /**< factor on the seconds requested; 0 counts as 1 */
    size_t least_threads;  /**< with fewer there is nothing to see, and a trial counts as kept */
    void (*attempt)(struct trial *trial);
};

extern const struct rule rule;

/** A number below `bound`, which is at least 1. For the thread that creates the tasks only. */
size_t trial_random(struct trial *trial, size_t bound);

/** What the trial showed, with a reason as for printf; the first of the worst is kept. Any task
 * may call these. */
void trial_says(struct trial *trial, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define trial_broken(trial, ...) trial_says(trial, BROKEN, __VA_ARGS__)
#define trial_serialised(trial, ...) trial_says(trial, SERIALISED, __VA_ARGS__)
#define trial_ignored(trial, ...) trial_says(trial, IGNORED, __VA_ARGS__)

/** The next moment of a clock that all tasks of the trial share: 1, 2, 3 … */
int trial_moment(struct trial *trial);

/** Memory that several tasks use at once: sequentially consistent. @return the new value */
int shared_add(int *object, int value);
int shared_get(const int *object);
void shared_set(int *object, int value);

/** Announces the caller at a meeting, and waits, for a bounded time, until `wanted` callers have
 * come. Tasks that meet run concurrently. A caller that gives up is no longer counted; once all
 * have come, later callers pass.
 * @param[in,out] arrived 0 before the meeting
 * @return true if they came in time */
bool meet(int *arrived, int wanted);

/** Waits until the object has that value, for a bounded time.
 * @return true if it has */
bool wait_until(const int *object, int value, size_t milliseconds);

/** A number that identifies the calling thread within the process. */
int this_thread(void);

/** Keeps the calling thread busy. */
void keep_busy(size_t microseconds);

/** As keep_busy, for a random time of at most `microseconds` that follows from the trial's seed
 * and from `task`. Any task may call it. */
void keep_busy_randomly(const struct trial *trial, size_t task, size_t microseconds);

/** Calls submit(trial, data) on one thread of a team of trial->threads, within `single`; returns
 * when all tasks created there are complete. */
void on_single(struct trial *trial, void (*submit)(struct trial *trial, void *data), void *data);

/** The size of the team that the runtime gives where this many threads are asked for. */
size_t team_given(size_t threads);

#endif
