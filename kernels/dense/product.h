/* SPDX-License-Identifier: BSD-3-Clause
 * Products of matrices, faster than OpenBLAS' dgemm at the sizes of tiles and for the few columns or rows
 * that QR's reflectors have (docs/evaluation/performance.md). For use inside kernels/.
 *
 * In the kernel set `tuned` computed by our own code, else by dgemm, those of tiles in pieces. C overlaps neither
 * A nor B. A result depends on the sizes and the elements alone, not on addresses. */
#ifndef POLLUX_KERNELS_DENSE_PRODUCT_H
#define POLLUX_KERNELS_DENSE_PRODUCT_H

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"

/** C := C - A op(B); C is m × n, A is m × k, op(B) is k × n. */
void subtract_product(struct tile A, enum transpose op, struct tile B, struct tile C);

/** C := C - A A₁ᵀ in the lower trapezoid of C, which is m × n, m >= n; A is m × k, and A₁ its first n
 * rows. */
void subtract_symmetric_product(struct tile A, struct tile C);

/** C := C - L B; C is m × n, L an m × k unit lower trapezoid (SHAPE_UNIT_LOWER), B is k × n. */
void subtract_trapezoid_product(struct tile L, struct tile B, struct tile C);

/** C := A B; C is m × n, A is m × k, B is k × n. Always by dgemm: no factorization needs it. */
void assign_product(struct tile A, struct tile B, struct tile C);

/** C := Aᵀ B, or C := C + Aᵀ B; A is k × m, B is k × n, C is m × n. A unit lower A is only for the first. */
void product_transposed(enum update update, enum shape shape, struct tile A, struct tile B,
                        struct tile C);

#endif
