/* SPDX-License-Identifier: BSD-3-Clause
 * Triangular solves with many right-hand sides, faster than OpenBLAS': at tile sizes its dtrsm runs well
 * below its dgemm's speed (docs/evaluation/performance.md). In the kernel set `tuned` computed by our own code, else by recursive
 * splits, so that most of the work is dgemm. For use inside kernels/. */
#ifndef POLLUX_KERNELS_DENSE_TRIANGULAR_SOLVE_H
#define POLLUX_KERNELS_DENSE_TRIANGULAR_SOLVE_H

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"

/** B := B op(T)⁻¹; B is m × n. The n × n matrix op(T) is upper triangular: T contains an upper triangle to be
 * used as it is, or a lower one to be transposed. */
void solve_right(enum transpose op, struct tile T, struct tile B);

/** B := L⁻¹ B with the unit lower triangle of the n × n matrix L; B is n × m. */
void solve_left_unit_lower(struct tile L, struct tile B);

#endif
