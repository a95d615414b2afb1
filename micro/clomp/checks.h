/* SPDX-License-Identifier: BSD-3-Clause
 * Whether the loops of a pass computed what they must. */
#ifndef POLLUX_MICRO_CLOMP_CHECKS_H
#define POLLUX_MICRO_CLOMP_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#include "micro/clomp/schedules.h"

/** What a pass leaves in a partition, exactly: each schedule runs the same operations in the same order. */
struct deposit_outcome {
    double first_value; /**< of the first zone */
    double residue;
};

/** Reads the outcomes of all partitions. */
void outcomes_read(const struct mesh *mesh, struct deposit_outcome *outcomes);

/** The outcomes of so many updates with the same deposit. */
void outcomes_of_fixed(const struct mesh *mesh, double deposit, size_t loops,
                       struct deposit_outcome *outcomes);

/** Checks the mesh after so many loops, each with a deposit of its own: every partition was updated once for each
 * deposit, before the next was calculated; zone values do not rise along a partition; residues are in their range;
 * values and residues add up to the number of loops.
 * @param[in] expected outcomes, which must be met exactly; NULL: of the serial loops, which others are compared with
 * @param[out] fault the first that is wrong
 * @return whether all is right */
bool outcomes_check(const struct mesh *mesh, size_t loops, const struct deposit_outcome *expected,
                    char *fault, size_t size);

/** The same for loops with a fixed deposit, whose values do not add up. */
bool outcomes_check_fixed(const struct mesh *mesh, size_t loops,
                          const struct deposit_outcome *expected, char *fault, size_t size);

/** Checks a pass of barriers: there were as many threads as were asked for, and in a checked pass before it none left a
 * barrier before all had come. */
bool meetings_check(const struct clomp_run *run, char *fault, size_t size);

#endif
