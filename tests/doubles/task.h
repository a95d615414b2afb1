/* SPDX-License-Identifier: BSD-3-Clause
 * Wraps a function around the body of every task that code compiled by GCC creates.
 *
 * A preloaded library of task.c and one definition of run_task does so for the whole process. It may define
 * before_creation too. */
#ifndef POLLUX_TESTS_DOUBLES_TASK_H
#define POLLUX_TESTS_DOUBLES_TASK_H

#include <stdbool.h>
#include <stddef.h>

/** Addresses that a task's depend clauses name as written: the first and the last of the compiler's
 * list, which may be the same; NULL where there are none. Compilers need not keep the clauses' order. */
struct written {
    double *first, *last;
};

/** A task about to run. */
struct task {
    void (*body)(void *arguments);
    void *arguments;
    struct written written;
    long number;  /**< tasks begun so far in this process, this one included */
    bool at_home; /**< the thread that created it runs it */
};

/** Called in place of each task's body, by the thread that runs the task. */
void run_task(const struct task *task);

/** Called before each task is created, with the number of its depend items. */
__attribute__((weak)) void before_creation(size_t items);

/** The body itself. */
void run_body(const struct task *task);

/** The number in that environment variable, or the fallback where it is not set. A variable that
 * contains no number ends the process. */
double variable_number(const char *name, double fallback);

#endif
