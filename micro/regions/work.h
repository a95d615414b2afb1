/* SPDX-License-Identifier: BSD-3-Clause
 * Work of known length, and its distribution over the iterations of an outer loop. */
#ifndef POLLUX_MICRO_REGIONS_WORK_H
#define POLLUX_MICRO_REGIONS_WORK_H

#include <stddef.h>
#include <stdint.h>

/** Takes about so many cycles: as many additions, each of which waits for the one before. */
void work_for(size_t cycles);

/** The time of a cycle in ns: the shortest of a few measurements, since nothing makes one too short. */
double work_cycle_ns(void);

/** Distributes work unevenly at a constant total: outer iteration i has u_i^alpha / sum of u^alpha of it, u_i
 * uniform between 0 and 1. With alpha 0 all have the same.
 * @param[in] mean cycles of an inner iteration, on average
 * @param[out] cycles of each inner iteration in outer iteration i, `outer` values */
void work_distribute(uint64_t seed, size_t alpha, size_t mean, size_t outer, size_t *cycles);

/** The least time in which processors can do the work of `outer` times `inner` iterations: all of it divided by their
 * number, or the longest iteration, whichever is longer. In cycles. */
double work_bound(const size_t *cycles, size_t outer, size_t inner, size_t processors);

#endif
