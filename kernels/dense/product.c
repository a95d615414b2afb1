/* SPDX-License-Identifier: BSD-3-Clause
 * Products of reflectors: which processor and which shape gets which code. */
#include "kernels/dense/product.h"

#include <cblas.h>
#include <string.h>

#include "kernels/avx512/product.h"
#include "kernels/dense/triangular_solve.h"

/* B := op(L) B with the unit lower triangle of order m. */
static void multiply_triangle(CBLAS_TRANSPOSE op, size_t m, size_t n, const double *L, size_t ldl,
                              double *B, size_t ldb)
{
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, op, CblasUnit, (int)m, (int)n, 1.0, L,
                (int)ldl, B, (int)ldb);
}

static void transposed(enum product mode, size_t m, size_t n, size_t k, const double *A, size_t lda,
                       const double *B, size_t ldb, double *C, size_t ldc)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1.0, A, (int)lda,
                B, (int)ldb, mode == PRODUCT_ADD ? 1.0 : 0.0, C, (int)ldc);
}

static void plain(enum product mode, size_t m, size_t n, size_t k, const double *A, size_t lda,
                  const double *B, size_t ldb, double *C, size_t ldc)
{
    double alpha = mode == PRODUCT_ASSIGN ? 1.0 : -1.0, beta = mode == PRODUCT_ASSIGN ? 0.0 : 1.0;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, alpha, A,
                (int)lda, B, (int)ldb, beta, C, (int)ldc);
}

void product_transposed(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                        const double *A, size_t lda, const double *B, size_t ldb, double *C,
                        size_t ldc)
{
    if (avx512_usable()) {
        avx512_product_transposed(mode, shape, m, n, k, A, lda, B, ldb, C, ldc);
        return;
    }
    if (shape != SHAPE_UNIT_LOWER) {
        transposed(mode, m, n, k, A, lda, B, ldb, C, ldc);
        return;
    }
    for (size_t j = 0; j < n; j++)
        memcpy(C + j * ldc, B + j * ldb, m * sizeof *C);
    multiply_triangle(CblasTrans, m, n, A, lda, C, ldc);
    transposed(PRODUCT_ADD, m, n, k - m, A + m, lda, B + m, ldb, C, ldc);
}

/* Largest triangle that is not halved. */
enum { SMALL = 16 };

/* C := C - L B with the unit lower triangle of order m. */
static void subtract_triangle(size_t m, size_t n, const double *L, size_t ldl, const double *B,
                              size_t ldb, double *C, size_t ldc)
{
    if (m > SMALL) {
        size_t half = m / 2;
        subtract_triangle(half, n, L, ldl, B, ldb, C, ldc);
        plain(PRODUCT_SUBTRACT, m - half, n, half, L + half, ldl, B, ldb, C + half, ldc);
        subtract_triangle(m - half, n, L + half + half * ldl, ldl, B + half, ldb, C + half, ldc);
        return;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < m; l++) {
            double b = B[l + j * ldb], *c = C + j * ldc;
            c[l] -= b;
            for (size_t i = l + 1; i < m; i++)
                c[i] -= L[i + l * ldl] * b;
        }
}

/* C := C - A B on the first k rows of a trapezoid A. */
static void subtract_top(size_t n, size_t k, const double *A, size_t lda, const double *B,
                         size_t ldb, double *C, size_t ldc)
{
    if (avx512_usable())
        avx512_product_plain(PRODUCT_SUBTRACT, SHAPE_UNIT_LOWER, k, n, k, A, lda, B, ldb, C, ldc);
    else
        subtract_triangle(k, n, A, lda, B, ldb, C, ldc);
}

void product_plain(enum product mode, enum shape shape, size_t m, size_t n, size_t k,
                   const double *A, size_t lda, const double *B, size_t ldb, double *C, size_t ldc)
{
    if (mode == PRODUCT_SUBTRACT) {
        size_t top = shape == SHAPE_UNIT_LOWER ? k : 0;
        if (top > 0)
            subtract_top(n, k, A, lda, B, ldb, C, ldc);
        subtract_product(m - top, n, k, A + top, lda, B, ldb, 0, C + top, ldc);
    } else if (avx512_usable()) {
        avx512_product_plain(mode, shape, m, n, k, A, lda, B, ldb, C, ldc);
    } else {
        plain(mode, m, n, k, A, lda, B, ldb, C, ldc);
    }
}
