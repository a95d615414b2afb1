/* SPDX-License-Identifier: BSD-3-Clause
 * Where a kernel call lies in the matrix. */
#ifndef POLLUX_COMMON_COORDINATES_H
#define POLLUX_COMMON_COORDINATES_H

#include "common/run/benchmark.h"

/** Row and column of a tile, or of a piece of a panel. */
struct coordinates {
    size_t i, j;
};

/** The coordinates that name a kernel call of a step (docs/traces.md).
 * @param[in] object what the kernel named itself by */
struct coordinates coordinates_of(const struct benchmark *benchmark, const struct problem *problem,
                                  size_t step, const void *object);

#endif
