/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of vectors with which results are verified (verify.h): parts of the identity or of the probes. */
#ifndef POLLUX_COMMON_PROBES_H
#define POLLUX_COMMON_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/matrix/tile_matrix.h"

/** A column-major matrix: one tile. @return NULL if out of memory; release with tile_matrix_destroy */
struct tile_matrix *probes_create(size_t rows, size_t cols);

/** All of such a matrix. */
struct tile probes_all(const struct tile_matrix *X);

/** X := columns first … of the identity, or of the probes, whose signs depend on the seed. */
void probes_fill(uint64_t seed, bool identity, size_t first, struct tile X);

/** ‖reference - Y‖² (Frobenius), where the reference is the columns of X from `first` on. */
double probes_squared_difference(struct tile X, size_t first, struct tile Y);

#endif
