/* SPDX-License-Identifier: BSD-3-Clause
 * Triangular solves and products, faster than OpenBLAS': at tile sizes its dtrsm runs well below its
 * dgemm's speed, and that below its speed on large matrices (docs/performance.md). With AVX-512 by code
 * of our own, else solves are recursive splits, so that most of the work is dgemm. For use inside
 * kernels/. */
#ifndef POLLUX_KERNELS_DENSE_TRIANGULAR_SOLVE_H
#define POLLUX_KERNELS_DENSE_TRIANGULAR_SOLVE_H

#include <stddef.h>

/** B := B L⁻ᵀ, L lower n × n, B m × n; column-major with leading dimensions ldl and ldb. */
void solve_right_lower_transposed(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                  size_t ldb);

/** B := L⁻¹ B, L unit lower m × m, B m × n. */
void solve_left_lower_unit(size_t m, size_t n, const double *L, size_t ldl, double *B, size_t ldb);

/** B := B U⁻¹, U upper n × n, B m × n. */
void solve_right_upper(size_t m, size_t n, const double *U, size_t ldu, double *B, size_t ldb);

/** C := C - A op(B); C m × n, inner dimension k; `transposed` makes op(B) = Bᵀ. */
void subtract_product(size_t m, size_t n, size_t k, const double *A, size_t lda, const double *B,
                      size_t ldb, int transposed, double *C, size_t ldc);

/** C := C - A A₁ᵀ in the lower trapezoid of C, which is m × n, m >= n; A₁ is the first n rows of A, which
 * is m × k. */
void subtract_square(size_t m, size_t n, size_t k, const double *A, size_t lda, double *C,
                     size_t ldc);

#endif
