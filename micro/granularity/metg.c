/* SPDX-License-Identifier: BSD-3-Clause
 * A point of the curve that would need a larger granularity for less work does not take part in the
 * interpolation: that is noise. */
#include "micro/granularity/metg.h"

#include <math.h>

static const char NEVER[] = "no grain is that efficient: raise --largest-grain";
static const char ALWAYS[] = "the smallest grain is that efficient: lower --smallest-grain";

/* The point of least granularity that is efficient enough; `count` where none is. */
static size_t least_efficient(const double *granularity, const double *efficiency, size_t count,
                              double threshold)
{
    size_t least = count;
    for (size_t i = 0; i < count; i++)
        if (efficiency[i] >= threshold && (least == count || granularity[i] < granularity[least]))
            least = i;
    return least;
}

double metg(const double *granularity, const double *efficiency, size_t count, double threshold,
            const char **reason)
{
    size_t at = least_efficient(granularity, efficiency, count, threshold);
    *reason = at == count ? NEVER : efficiency[0] >= threshold ? ALWAYS : NULL;
    if (*reason)
        return NAN;
    double g = granularity[at], below = granularity[at - 1], e = efficiency[at - 1];
    if (below >= g)
        return g;
    return below + (threshold - e) / (efficiency[at] - e) * (g - below);
}

size_t first_efficient(const double *efficiency, size_t count, double threshold)
{
    size_t first = 0;
    while (first < count && efficiency[first] < threshold)
        first++;
    return first;
}
