/* SPDX-License-Identifier: BSD-3-Clause
 * One repetition of a configuration: passes over the pattern with and without a gate, and what they show. */
#ifndef POLLUX_MICRO_MEASURE_H
#define POLLUX_MICRO_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "micro/pattern.h"
#include "micro/terms.h"

/** What is run: one combination of the command line's lists. */
struct micro_configuration {
    const struct pattern *pattern;
    size_t tasks, items, distance, threads;
    size_t creators; /**< threads that create tasks; each has an instance of tasks / creators */
    enum clauses priorities; /**< of a pattern that lets the user choose */
};

/** The memory of one configuration. */
struct bench;

/** Bytes of memory that a configuration needs, those that a runtime takes for the tasks included as an
 * estimate; SIZE_MAX if that overflows. */
size_t bench_bytes(const struct micro_configuration *c);

/** Ends the program with POLLUX_MACHINE where there are not enough addresses for a configuration. */
void bench_require_addresses(const struct micro_configuration *c);

/** Reserves everything for a configuration. Ends the program with POLLUX_MACHINE if out of memory or addresses.
 * @param[in] seed of the patterns that are random */
struct bench *bench_create(const struct micro_configuration *c, uint64_t seed);

void bench_destroy(struct bench *bench);

enum { FAULT_SIZE = 160 };

/** What a repetition gave. */
struct repetition {
    double ungated_ns; /**< from the first task's creation until all are complete, without a gate */
    double created_ns; /**< creation of all tasks behind the gate; of several creators the sum */
    double emptied_ns; /**< from the opening of the gate until all are complete */
    /** Creation of all tasks without a gate, while other threads run them; of several creators from the first one's
     * begin to the last one's end, as ungated_ns. */
    double open_created_ns;
    double left_ns; /**< emptied_ns times the share of the tasks that had not ended then */
    double body_ns; /**< one task's own code, called as a function */
    struct terms terms;
    bool passed;            /**< every task of every pass found what it must, and ran once */
    char fault[FAULT_SIZE]; /**< the first that did not; empty where passed */
};

/** Lets tasks compute: each calls work(argument). NULL: they compute nothing. */
void bench_set_work(struct bench *bench, void (*work)(void *argument), void *argument);

/** The efficiency that the pattern allows on so many threads, if all tasks take the same time: less than 1 where too
 * few of them can run at once. */
double bench_attainable(const struct bench *bench);

/** Runs one pass without a gate, for r->ungated_ns; a fault is added to `r`. Ends the program as bench_repeat
 * does. */
void bench_pass(struct bench *bench, struct repetition *r);

/** Runs the passes. Ends the program with POLLUX_MACHINE if the runtime gives another number of threads.
 * @param[in] clock_ns one reading of the clock */
struct repetition bench_repeat(struct bench *bench, double clock_ns);

/** Bytes by which the heap grew per task while tasks were created behind a gate; NaN where that is not known. A fault is
 * added to `r`.
 * @param[out] reason why not, or NULL */
double bench_task_bytes(struct bench *bench, struct repetition *r, const char **reason);

#endif
