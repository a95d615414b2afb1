/* SPDX-License-Identifier: BSD-3-Clause
 * Products with the triangular factors of a tile matrix, for verification: sequential, and
 * without any of the factorizations' own kernels. X and Y are plain column-major matrices. */
#ifndef POLLUX_COMMON_FACTOR_PRODUCT_H
#define POLLUX_COMMON_FACTOR_PRODUCT_H

#include "common/matrix/tile_matrix.h"

/** Y := U X, with U the upper trapezoid min(m, n) × n of A; X is n × p; rows of Y (m × p) below
 * min(m, n) become 0. X and Y must not overlap. */
void multiply_upper(const struct tile_matrix *A, struct tile X, struct tile Y);

/** Y := L Y, with L the unit lower trapezoid m × min(m, n) of A; on entry the first min(m, n) rows
 * of Y (m × p) count, on return all. */
void multiply_unit_lower(const struct tile_matrix *A, struct tile Y);

/** Y := L Y, with L the lower triangle of the n × n matrix A. */
void multiply_lower(const struct tile_matrix *A, struct tile Y);

/** Y := Lᵀ Y, with L the lower triangle of the n × n matrix A. */
void multiply_lower_transposed(const struct tile_matrix *A, struct tile Y);

#endif
