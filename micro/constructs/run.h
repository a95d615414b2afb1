/* SPDX-License-Identifier: BSD-3-Clause
 * What a construct is executed around: a delay of known length, which counts its executions. In a checked pass it
 * also finds out whether the construct did what it is for. */
#ifndef POLLUX_MICRO_CONSTRUCTS_RUN_H
#define POLLUX_MICRO_CONSTRUCTS_RUN_H

#include <stdbool.h>
#include <stddef.h>

/** Executions of the delay by one thread, on a cache line of its own. */
struct tally {
    size_t executions;
} __attribute__((aligned(128)));

/** The first thing that a construct did wrong. */
enum construct_fault {
    CONSTRUCT_RIGHT,
    CONSTRUCT_EARLY,   /**< threads or tasks went on before all that they wait for had run */
    CONSTRUCT_TOGETHER /**< two threads were at once where only one may be */
};

/** One pass: `inner` executions of a construct in a row. */
struct construct_run {
    size_t threads, inner;
    size_t delay; /**< steps of the delay */
    bool
        checked; /**< whether the marks are kept, at the price of cache lines that move between cores */
    struct tally *tallies; /**< of each thread */
    size_t *marks;         /**< checked: executions with each number */
    char *chains; /**< an address for each thread, 64 bytes apart, that depend clauses name */
    /** What critical regions, locks, atomics and reductions add up, on a cache line that no thread reads for
     * anything else. */
    size_t total __attribute__((aligned(64)));
    int inside; /**< threads in a critical section */
    enum construct_fault fault;
    size_t faulty; /**< the number whose execution was wrong */
};

/** Address of chain number `chain`. */
static inline char *construct_chain(const struct construct_run *run, size_t chain)
{
    enum { LINE = 64 };
    return run->chains + chain * LINE;
}

/** What a construct is executed around.
 * @param[in] number of the execution, from 0 */
void construct_work(struct construct_run *run, size_t number);

/** The same for what must wait for the execution of another number; for nothing, if that is its own. */
void construct_work_after(struct construct_run *run, size_t number, size_t before);

/** The same for what must not run at the same time as others that do this. */
void construct_work_alone(struct construct_run *run, size_t number);

/** Where all executions of a number must have ended, which are so many. */
void construct_expect(struct construct_run *run, size_t number, size_t executions);

/** One addition to `total`, without any protection. */
void construct_add(struct construct_run *run);

/** Only the delay. */
void construct_delay(size_t steps);

#endif
