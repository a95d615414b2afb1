/* SPDX-License-Identifier: BSD-3-Clause
 * Products for processors with AVX-512: the contracts of kernels/dense/product.h, within the limits
 * stated. Views come by pointer: a copy of one that was just made waits until its fields are stored, which
 * slows down small products. */
#ifndef POLLUX_KERNELS_AVX512_PRODUCT_H
#define POLLUX_KERNELS_AVX512_PRODUCT_H

#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"

/** The columns of C in avx512_subtract_product, and of the triangle in
 * avx512_subtract_symmetric_product, are a multiple of this. */
enum { AVX512_MULTIPLE = 8 };

void avx512_subtract_product(const struct tile *A, enum transpose op, const struct tile *B,
                             const struct tile *C);

void avx512_subtract_symmetric_product(const struct tile *A, const struct tile *C);

/** The rows of C next to the triangle of L: L and C have as many rows as L has columns. */
void avx512_subtract_triangle_product(const struct tile *L, const struct tile *B,
                                      const struct tile *C);

void avx512_product_transposed(enum update update, enum shape shape, const struct tile *A,
                               const struct tile *B, const struct tile *C);

/** The same, by dot products: for few columns of A or B. Only avx512_product_transposed calls it. */
void avx512_dot_products(enum update update, enum shape shape, const struct tile *A,
                         const struct tile *B, const struct tile *C);

#endif
