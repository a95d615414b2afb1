/* SPDX-License-Identifier: BSD-3-Clause
 * The position of a kernel call in the matrix. */
#ifndef POLLUX_COMMON_COORDINATES_H
#define POLLUX_COMMON_COORDINATES_H

#include "common/run/benchmark.h"

/** Row and column of a tile, or of a piece of a panel. */
struct coordinates {
    size_t i, j;
};

/** The coordinates that name a kernel call of a step (docs/traces.md).
 * @param[in] object the object that names the call */
struct coordinates coordinates_of(const struct benchmark *benchmark, const struct problem *problem,
                                  size_t step, const void *object);

#endif
