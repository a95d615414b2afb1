/* SPDX-License-Identifier: BSD-3-Clause
 * The one statistic that the executables print; everything more is done on their records. */
#ifndef POLLUX_COMMON_STATISTICS_H
#define POLLUX_COMMON_STATISTICS_H

#include <stddef.h>

/** Sorts in ascending order. */
void sort_ascending(double *values, size_t count);

/** Median of values in ascending order; count >= 1. */
double median_of_sorted(const double *values, size_t count);

#endif
