/* SPDX-License-Identifier: BSD-3-Clause
 * The matrix to be factored: element (i, j) depends on the seed, i and j alone, so any block can be
 * generated again at any time, by any thread, for any tile size. */
#ifndef POLLUX_COMMON_INPUT_H
#define POLLUX_COMMON_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/matrix/tile_matrix.h"

enum input_kind {
    INPUT_UNIFORM,  /**< independent, uniform in [-1, 1) */
    INPUT_SPD,      /**< symmetric, uniform off the diagonal, n + |u| on it: positive definite */
    INPUT_DOMINANT, /**< uniform, n added on the diagonal: dominant, so no pivoting is needed */
    INPUT_FILE,     /**< read from a file */
    INPUT_OWN       /**< no such matrix: the benchmark generates its own */
};

/** A matrix by formula, or a view of one read from a file. */
struct input {
    enum input_kind kind;
    size_t m, n;
    uint64_t seed;
    const double *elements; /**< INPUT_FILE: column-major, leading dimension m; not owned */
};

/** Element (i, j), 0-based. Random values: Philox2x64-10 (Salmon et al., "Parallel random numbers:
 * as easy as 1, 2, 3", SC 2011) with counter (i / 2, j) and the seed as key. */
double input_element(const struct input *input, size_t i, size_t j);

/** Fills tile t with the block whose first element is (row, col). */
void input_tile(const struct input *input, size_t row, size_t col, struct tile t);

/** Random sign of element i of probe vector p: +1 or -1 (a Rademacher vector). */
double input_sign(uint64_t seed, size_t i, size_t p);

/** Fills all tiles of A in parallel; blocks of columns above the diagonal only if `upper` is not 0. */
void input_fill(const struct input *input, struct tile_matrix *A, int upper, size_t threads);

#endif
