/* SPDX-License-Identifier: BSD-3-Clause
 * Each solve: solve with the first part, update the rest by dgemm, solve with the second part. */
#include "kernels/dense/triangular_solve.h"

#include <cblas.h>

#include "kernels/avx512/product.h"
#include "kernels/avx512/triangular_solve.h"

/* Up to LEAF dtrsm itself is used, the fastest of 16, 32, 48 and 64 (docs/performance.md). Our own code
 * is for multiples of a vector. */
enum { LEAF = 16, DIRECT_MULTIPLE = 8 };

/* Whether a solve of that order is for our own code. */
static bool direct(size_t n)
{
    return n <= AVX512_SOLVE_ORDER && n % DIRECT_MULTIPLE == 0 && avx512_usable();
}

/* The first part of a split: what is for our own code, or a half, a multiple of 16 so that dgemm's
 * kernels see full vectors. */
static size_t first_part(size_t n)
{
    size_t multiple = n - n % DIRECT_MULTIPLE;
    return direct(multiple) ? multiple : (n / 2 + 15) / 16 * 16;
}

void subtract_product(size_t m, size_t n, size_t k, const double *A, size_t lda, const double *B,
                      size_t ldb, int transposed, double *C, size_t ldc)
{
    size_t done = avx512_usable() ? n - n % DIRECT_MULTIPLE : 0;
    if (done > 0)
        avx512_subtract_product(m, done, k, A, lda, B, ldb, transposed, C, ldc);
    if (done < n)
        cblas_dgemm(CblasColMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, (int)m,
                    (int)(n - done), (int)k, -1.0, A, (int)lda, B + done * (transposed ? 1 : ldb),
                    (int)ldb, 1.0, C + done * ldc, (int)ldc);
}

void subtract_square(size_t m, size_t n, size_t k, const double *A, size_t lda, double *C,
                     size_t ldc)
{
    if (n % DIRECT_MULTIPLE == 0 && avx512_usable()) {
        avx512_subtract_square(m, n, k, A, lda, C, ldc);
        return;
    }
    if (m > n)
        subtract_product(m - n, n, k, A + n, lda, A, lda, 1, C + n, ldc);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)k, -1.0, A, (int)lda, 1.0, C,
                (int)ldc);
}

void solve_right_lower_transposed(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                  size_t ldb)
{
    if (direct(n)) {
        avx512_solve_right_lower_transposed(m, n, L, ldl, B, ldb);
        return;
    }
    if (n <= LEAF) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m, (int)n,
                    1.0, L, (int)ldl, B, (int)ldb);
        return;
    }
    size_t h = first_part(n);
    solve_right_lower_transposed(m, h, L, ldl, B, ldb);
    subtract_product(m, n - h, h, B, ldb, L + h, ldl, 1, B + h * ldb, ldb);
    solve_right_lower_transposed(m, n - h, L + h + h * ldl, ldl, B + h * ldb, ldb);
}

void solve_left_lower_unit(size_t m, size_t n, const double *L, size_t ldl, double *B, size_t ldb)
{
    if (direct(m)) {
        avx512_solve_left_lower_unit(m, n, L, ldl, B, ldb);
        return;
    }
    if (m <= LEAF) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, (int)m, (int)n,
                    1.0, L, (int)ldl, B, (int)ldb);
        return;
    }
    size_t h = first_part(m);
    solve_left_lower_unit(h, n, L, ldl, B, ldb);
    subtract_product(m - h, n, h, L + h, ldl, B, ldb, 0, B + h, ldb);
    solve_left_lower_unit(m - h, n, L + h + h * ldl, ldl, B + h, ldb);
}

void solve_right_upper(size_t m, size_t n, const double *U, size_t ldu, double *B, size_t ldb)
{
    if (direct(n)) {
        avx512_solve_right_upper(m, n, U, ldu, B, ldb);
        return;
    }
    if (n <= LEAF) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)m,
                    (int)n, 1.0, U, (int)ldu, B, (int)ldb);
        return;
    }
    size_t h = first_part(n);
    solve_right_upper(m, h, U, ldu, B, ldb);
    subtract_product(m, n - h, h, B, ldb, U + h * ldu, ldu, 0, B + h * ldb, ldb);
    solve_right_upper(m, n - h, U + h + h * ldu, ldu, B + h * ldb, ldb);
}
