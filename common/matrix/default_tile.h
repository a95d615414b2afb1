/* SPDX-License-Identifier: BSD-3-Clause
 * The tiles used where the user gives none: by processor or OpenBLAS' kernels, kernel set, benchmark and size. */
#ifndef POLLUX_COMMON_DEFAULT_TILE_H
#define POLLUX_COMMON_DEFAULT_TILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/machine/processor.h"
#include "common/matrix/kernel_set.h"
#include "common/matrix/tile_shape.h"

/** A tile and, for QR, its inner block. */
struct tile_choice {
    struct tile_shape shape;
    size_t ib;
};

/** What the tables are asked for. */
struct tile_key {
    struct processor processor;
    enum kernel_set kernels;
    const char *core;      /**< that OpenBLAS runs kernels for, e.g. "Zen"; NULL: not known */
    const char *benchmark; /**< its name; one that the tables lack gets square tiles of 192 */
    bool fastest;          /**< of all shapes; false: of square tiles */
};

/** The tile for an m × n matrix: that of OpenBLAS' kernels, if they are AVX2's, else of the processor's family, else of
 * OpenBLAS' kernels for AVX-512, else of any processor.
 * Where it would leave fewer than TASKS_PER_THREAD tiles of the matrix for each thread, the tile
 * is made narrower, but not below NARROW_TILE, and shorter. */
struct tile_choice default_tile(struct tile_key key, size_t m, size_t n, size_t threads);

/** Whether nobody has measured tiles for this processor and these kernels: default_tile() then guesses. */
bool default_tile_is_guess(struct tile_key key);

enum { TASKS_PER_THREAD = 8, NARROW_TILE = 64 };

#endif
