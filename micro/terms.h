/* SPDX-License-Identifier: BSD-3-Clause
 * What a task costs, told apart, from the times that tasks noted. All in nanoseconds. */
#ifndef POLLUX_MICRO_TERMS_H
#define POLLUX_MICRO_TERMS_H

#include <stddef.h>
#include <stdint.h>

#include "micro/run.h"

enum term { TERM_CREATION, TERM_PER_ITEM, TERM_RELEASE, TERM_COMPLETION, TERMS };

/** Each term, or why it is not known. */
struct terms {
    double ns[TERMS];          /**< NaN: not known */
    const char *reason[TERMS]; /**< NULL where it is known */
};

/** The later of two times. */
int64_t later(int64_t a, int64_t b);

/** Sets a term, in place of an earlier value or reason. */
void terms_know(struct terms *terms, enum term term, double ns);
void terms_lack(struct terms *terms, enum term term, const char *reason);

/* Of one or several instances of a pattern, whose tasks ran in the same pass. */

/** The time from when a task could begin to when it did: from the end of its last predecessor, or of the task
 * before it on its thread where that is later. The median over the tasks with predecessors, less one reading of
 * the clock.
 * @param[in] runs `count` of them; their cells have times
 * @return NaN where no task has a predecessor */
double release_ns(const struct run *runs, size_t count, double clock_ns);

/** The time from the end of the last task to `end_ns`, less one reading of the clock. */
double completion_ns(const struct run *runs, size_t count, int64_t end_ns, double clock_ns);

/** Slope of the line of least squares; NaN where all x are the same. */
double slope(const double *x, const double *y, size_t count);

#endif
