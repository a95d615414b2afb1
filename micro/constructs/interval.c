/* SPDX-License-Identifier: BSD-3-Clause
 * Batch means: Law, Kelton: Simulation Modeling and Analysis, chapter on output analysis. */
#include "micro/constructs/interval.h"

#include <math.h>

#include "common/base/sizes.h"

enum { BATCHES_MAX = 10 };

/* The 97.5 % quantile of Student's t for 1, 2, … degrees of freedom. */
static const double T_QUANTILES[BATCHES_MAX - 1] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                                    2.447,  2.365, 2.306, 2.262};

static double mean_of(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

struct interval interval_of_mean(const double *values, size_t count)
{
    double batch[BATCHES_MAX], squares = 0.0;
    size_t batches = smaller(count, BATCHES_MAX);
    struct interval result = {.mean = mean_of(values, count), .half_width = NAN};
    if (count < 2)
        return result;
    for (size_t b = 0; b < batches; b++) {
        size_t begin = b * count / batches, end = (b + 1) * count / batches;
        batch[b] = mean_of(values + begin, end - begin);
    }
    double middle = mean_of(batch, batches);
    for (size_t b = 0; b < batches; b++)
        squares += (batch[b] - middle) * (batch[b] - middle);
    result.half_width =
        T_QUANTILES[batches - 2] * sqrt(squares / ((double)(batches - 1) * (double)batches));
    return result;
}
