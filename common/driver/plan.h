/* SPDX-License-Identifier: BSD-3-Clause
 * All configurations of a command line: every combination of its lists, with defaults for what it
 * omits. */
#ifndef POLLUX_COMMON_PLAN_H
#define POLLUX_COMMON_PLAN_H

#include "common/driver/options.h"
#include "common/machine/topology.h"
#include "common/run/run.h"

/** The input of a plan; all of it is borrowed. */
struct planning {
    const struct benchmark *benchmark;
    const struct options *options;
    const struct topology *topology;
    const struct dense_matrix *file; /**< the matrix, or NULL: random */
};

/** Configurations in the order in which they run. */
struct plan {
    struct configuration *items;
    size_t count;
};

/** Makes the plan for these variants. A sequential one is planned for the first number of threads only, and one that is
 * not nested for the first size of inner teams.
 * With count 0, the configurations have sizes only and no variant. Ends the program with
 * POLLUX_MACHINE if out of memory.
 * @return the plan; release with plan_destroy */
struct plan plan_create(const struct planning *p, const struct variant *const *variants,
                        size_t count);

void plan_destroy(struct plan *plan);

#endif
