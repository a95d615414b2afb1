/* SPDX-License-Identifier: BSD-3-Clause
 * An interval for the mean of repetitions that follow each other in one process. */
#ifndef POLLUX_MICRO_CONSTRUCTS_INTERVAL_H
#define POLLUX_MICRO_CONSTRUCTS_INTERVAL_H

#include <stddef.h>

struct interval {
    double mean;
    double half_width; /**< at 95 %; NaN for fewer than two values */
};

/** The mean and its interval by Student's t over the means of up to ten batches of neighbours, since neighbours
 * resemble each other. It says nothing of other processes. */
struct interval interval_of_mean(const double *values, size_t count);

#endif
