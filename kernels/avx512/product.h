/* SPDX-License-Identifier: BSD-3-Clause
 * The AVX-512 code behind kernels/dense/product.h; the same contracts. */
#ifndef POLLUX_KERNELS_AVX512_PRODUCT_H
#define POLLUX_KERNELS_AVX512_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/dense/product.h"

/** True if this program may use AVX-512; a constant where it has no such code. */
#if defined(__x86_64__) && !defined(POLLUX_PORTABLE_KERNELS)
static inline bool avx512_usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#else
#define avx512_usable() false
#endif

void avx512_product_transposed(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                               const double *A, size_t lda, const double *B, size_t ldb, double *C,
                               size_t ldc);

/** The same, by a transposed copy of A: for many columns of B. Only dot_product.c calls it. */
void avx512_wide_product_transposed(enum product mode, enum shape shape, size_t m, size_t n,
                                    size_t k, const double *A, size_t lda, const double *B,
                                    size_t ldb, double *C, size_t ldc);

void avx512_product_plain(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                          const double *A, size_t lda, const double *B, size_t ldb, double *C,
                          size_t ldc);

#endif
