/* SPDX-License-Identifier: BSD-3-Clause
 * Products by vectors: the contracts of kernels/dense/product.h, within the limits
 * stated. Views come by pointer: a copy of one that was just made waits until its fields are stored, which
 * slows down small products. */
#ifndef POLLUX_KERNELS_VECTORS_PRODUCT_H
#define POLLUX_KERNELS_VECTORS_PRODUCT_H

#include "kernels/vectors/code.h"
#include "kernels/vectors/vectors.h"

void ISA(subtract_product)(const struct tile *A, enum transpose op, const struct tile *B,
                           const struct tile *C);

void ISA(subtract_symmetric_product)(const struct tile *A, const struct tile *C);

/** The rows of C next to the triangle of L: L and C have as many rows as L has columns. */
void ISA(subtract_triangle_product)(const struct tile *L, const struct tile *B,
                                    const struct tile *C);

void ISA(product_transposed)(enum update update, enum shape shape, const struct tile *A,
                             const struct tile *B, const struct tile *C);

/** The same, by dot products: for few columns of A or B. Only product_transposed calls it. */
void ISA(dot_products)(enum update update, enum shape shape, const struct tile *A,
                       const struct tile *B, const struct tile *C);

#endif
