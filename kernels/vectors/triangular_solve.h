/* SPDX-License-Identifier: BSD-3-Clause
 * Triangular solves by vectors: the contracts of kernels/dense/triangular_solve.h, for
 * triangles whose order is a multiple of 8 and at most vector_code.solve_order. */
#ifndef POLLUX_KERNELS_VECTORS_TRIANGULAR_SOLVE_H
#define POLLUX_KERNELS_VECTORS_TRIANGULAR_SOLVE_H

#include "kernels/vectors/code.h"
#include "kernels/vectors/vectors.h"

void ISA(solve_right)(enum transpose op, const struct tile *T, const struct tile *B);

void ISA(solve_left_unit_lower)(const struct tile *L, const struct tile *B);

#endif
