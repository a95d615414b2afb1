/* SPDX-License-Identifier: BSD-3-Clause
 * The median, the only statistic that the executables print; all others are computed from their
 * records. */
#ifndef POLLUX_COMMON_STATISTICS_H
#define POLLUX_COMMON_STATISTICS_H

#include <stddef.h>

/** Sorts values in ascending order. @return their median; count >= 1 */
double median(double *values, size_t count);

#endif
