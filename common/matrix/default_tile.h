/* SPDX-License-Identifier: BSD-3-Clause
 * The tile used where the user gives none: from measurements, by processor and size. */
#ifndef POLLUX_COMMON_DEFAULT_TILE_H
#define POLLUX_COMMON_DEFAULT_TILE_H

#include <stddef.h>

#include "common/machine/processor.h"
#include "common/matrix/tile_shape.h"

/** A tile and, for QR, its inner block. */
struct tile_choice {
    struct tile_shape shape;
    size_t ib;
};

/** The default for an m × n matrix: that of the processor's family, else that of any processor.
 * Where it would leave fewer than TASKS_PER_THREAD tiles of the matrix for each thread, the tile
 * is made narrower, but not below NARROW_TILE, and shorter.
 * @param[in] benchmark its name; one that the table does not have gets a square tile of 192 */
struct tile_choice default_tile(struct processor processor, const char *benchmark, size_t m,
                                size_t n, size_t threads);

enum { TASKS_PER_THREAD = 8, NARROW_TILE = 64 };

#endif
