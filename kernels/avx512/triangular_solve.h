/* SPDX-License-Identifier: BSD-3-Clause
 * Products and triangular solves for processors with AVX-512: the contracts of kernels/dense/triangular_solve.h, for
 * products whose n, and triangles whose order is a multiple of 8. Only dense/triangular_solve.c calls them, where
 * avx512_usable() (kernels/avx512/product.h). */
#ifndef POLLUX_KERNELS_AVX512_TRIANGULAR_SOLVE_H
#define POLLUX_KERNELS_AVX512_TRIANGULAR_SOLVE_H

#include <stddef.h>

/** Largest order of a triangle to solve with: its triangle, and a few rows of B, take the second-level
 * cache. */
enum { AVX512_SOLVE_ORDER = 512 };

void avx512_subtract_product(size_t m, size_t n, size_t k, const double *A, size_t lda,
                             const double *B, size_t ldb, int transposed, double *C, size_t ldc);

void avx512_subtract_square(size_t m, size_t n, size_t k, const double *A, size_t lda, double *C,
                            size_t ldc);

void avx512_solve_right_lower_transposed(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                         size_t ldb);

void avx512_solve_right_upper(size_t m, size_t n, const double *U, size_t ldu, double *B,
                              size_t ldb);

void avx512_solve_left_lower_unit(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                  size_t ldb);

#endif
