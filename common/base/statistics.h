/* SPDX-License-Identifier: BSD-3-Clause
 * The median, the only statistic that the executables print; all others are computed from their
 * records. */
#ifndef POLLUX_COMMON_STATISTICS_H
#define POLLUX_COMMON_STATISTICS_H

#include <stddef.h>

/** Sorts in ascending order. */
void sort_ascending(double *values, size_t count);

/** Median of values in ascending order; count >= 1. */
double median_of_sorted(const double *values, size_t count);

#endif
