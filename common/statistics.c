/* SPDX-License-Identifier: BSD-3-Clause
 * Of an even count, the mean of the two in the middle. */
#include "common/statistics.h"

double median_of_sorted(const double *values, size_t count)
{
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}
