/* SPDX-License-Identifier: BSD-3-Clause
 * What the patterns of the factorizations share (algorithm.h). */
#ifndef POLLUX_MICRO_FACTORIZATION_H
#define POLLUX_MICRO_FACTORIZATION_H

#include "micro/algorithm.h"
#include "micro/pattern.h"

/** The smallest number of tasks of the algorithm that is not below `tasks`; the rows of tiles that it takes. */
size_t algorithm_fit(const struct algorithm *algorithm, size_t tasks);
size_t algorithm_tiles(const struct algorithm *algorithm, size_t tasks);

/* As struct pattern has them. */
size_t algorithm_addresses(const struct shape *shape);
void algorithm_define(const struct shape *shape, struct graph *graph);
void *algorithm_prepare(struct run *run);
void algorithm_release(void *prepared);
void algorithm_create(struct run *run);
void algorithm_call(struct run *run);

#endif
