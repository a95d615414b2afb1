/* SPDX-License-Identifier: BSD-3-Clause
 * Products for the shapes that QR's reflectors make, few columns or few rows, and triangles, in which
 * dgemm is slow (docs/performance.md). For use inside kernels/.
 *
 * Without AVX-512 they are dgemm. All matrices are column-major, and C overlaps neither A nor B. A
 * result depends on the sizes and the elements alone, not on addresses. */
#ifndef POLLUX_KERNELS_DENSE_PRODUCT_H
#define POLLUX_KERNELS_DENSE_PRODUCT_H

#include <stddef.h>

/** What a product does to C. */
enum product { PRODUCT_ASSIGN, PRODUCT_ADD, PRODUCT_SUBTRACT };

/** Which elements of A count. */
enum shape {
    SHAPE_GENERAL,   /**< all */
    SHAPE_UPPER,     /**< zeros are stored below the diagonal */
    SHAPE_UNIT_LOWER /**< trapezoid with at least as many rows as columns; its diagonal of ones and
                          the zeros above it are not stored */
};

/** C := Aᵀ B, or C := C + Aᵀ B. A is k × m, B is k × n, C is m × n. A unit lower A only assigns. */
void product_transposed(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                        const double *A, size_t lda, const double *B, size_t ldb, double *C,
                        size_t ldc);

/** C := A B, or C := C - A B. A is m × k, B is k × n, C is m × n. A unit lower A only subtracts. */
void product_plain(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                   const double *A, size_t lda, const double *B, size_t ldb, double *C, size_t ldc);

#endif
