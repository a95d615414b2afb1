/* SPDX-License-Identifier: BSD-3-Clause
 * Each solve: solve with the first half, update the rest by dgemm, solve with the second half. */
#include "triangular.h"

#include <cblas.h>

/* Up to this order dtrsm itself is used. The fastest of 16, 32, 48 and 64 (docs/performance.md). */
enum { LEAF = 16 };

/* The first half of a split, a multiple of 16 so that dgemm's kernels see full vectors. */
static size_t first_half(size_t n)
{
    return (n / 2 + 15) / 16 * 16;
}

void subtract_product(size_t m, size_t n, size_t k, const double *A, size_t lda, const double *B,
                      size_t ldb, int transposed, double *C, size_t ldc)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, (int)m, (int)n,
                (int)k, -1.0, A, (int)lda, B, (int)ldb, 1.0, C, (int)ldc);
}

void solve_right_lower_transposed(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                  size_t ldb)
{
    if (n <= LEAF) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m, (int)n,
                    1.0, L, (int)ldl, B, (int)ldb);
        return;
    }
    size_t h = first_half(n);
    solve_right_lower_transposed(m, h, L, ldl, B, ldb);
    subtract_product(m, n - h, h, B, ldb, L + h, ldl, 1, B + h * ldb, ldb);
    solve_right_lower_transposed(m, n - h, L + h + h * ldl, ldl, B + h * ldb, ldb);
}

void solve_left_lower_unit(size_t m, size_t n, const double *L, size_t ldl, double *B, size_t ldb)
{
    if (m <= LEAF) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)m, (int)n,
                    1.0, L, (int)ldl, B, (int)ldb);
        return;
    }
    size_t h = first_half(m);
    solve_left_lower_unit(h, n, L, ldl, B, ldb);
    subtract_product(m - h, n, h, L + h, ldl, B, ldb, 0, B + h, ldb);
    solve_left_lower_unit(m - h, n, L + h + h * ldl, ldl, B + h, ldb);
}

void solve_right_upper(size_t m, size_t n, const double *U, size_t ldu, double *B, size_t ldb)
{
    if (n <= LEAF) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)m,
                    (int)n, 1.0, U, (int)ldu, B, (int)ldb);
        return;
    }
    size_t h = first_half(n);
    solve_right_upper(m, h, U, ldu, B, ldb);
    subtract_product(m, n - h, h, B, ldb, U + h * ldu, ldu, 0, B + h * ldb, ldb);
    solve_right_upper(m, n - h, U + h + h * ldu, ldu, B + h * ldb, ldb);
}
