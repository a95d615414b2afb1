/* SPDX-License-Identifier: BSD-3-Clause
 * The minimum effective task granularity of Task Bench (Slaughter et al., SC20). */
#ifndef POLLUX_MICRO_METG_H
#define POLLUX_MICRO_METG_H

#include <stddef.h>

/** What one grain gave. */
struct curve_point {
    size_t grain;
    double ns_per_task;     /**< elapsed / tasks */
    double granularity_ns;  /**< elapsed x threads / tasks */
    double reference_ns;    /**< one call of the same work on one thread, without tasks */
    double efficiency;      /**< reference_ns / granularity_ns */
    double efficiency_best; /**< against the rate of another runtime; NaN: none was given */
};

/** The smallest granularity whose efficiency is `threshold` at least: among the points, and between the smallest of
 * these and the next smaller grain, by a straight line.
 * @param[in]  granularity, efficiency of the grains in ascending order
 * @param[out] reason why it is not known, or NULL
 * @return NaN where the curve does not cross the threshold */
double metg(const double *granularity, const double *efficiency, size_t count, double threshold,
            const char **reason);

/** The smallest grain whose efficiency is `threshold` at least.
 * @return its index; `count` where there is none */
size_t first_efficient(const double *efficiency, size_t count, double threshold);

#endif
