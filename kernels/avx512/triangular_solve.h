/* SPDX-License-Identifier: BSD-3-Clause
 * Triangular solves for processors with AVX-512: the contracts of kernels/dense/triangular_solve.h, for
 * triangles whose order is a multiple of 8 and at most AVX512_SOLVE_ORDER. */
#ifndef POLLUX_KERNELS_AVX512_TRIANGULAR_SOLVE_H
#define POLLUX_KERNELS_AVX512_TRIANGULAR_SOLVE_H

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"

/** Largest order of a triangle to solve with: its triangle, and a few rows of B, fill the second-level
 * cache. */
enum { AVX512_SOLVE_ORDER = 512 };

void avx512_solve_right(enum transpose op, const struct tile *T, const struct tile *B);

void avx512_solve_left_unit_lower(const struct tile *L, const struct tile *B);

#endif
