/* SPDX-License-Identifier: BSD-3-Clause
 * Gives the reference routines the names by which kernels/ calls OpenBLAS and LAPACKE. A program's
 * own definitions come before those of shared libraries. Cases that no kernel uses abort. */
#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

#include "tests/race/reference/reference.h"

static void expect(bool known)
{
    if (!known)
        abort();
}

static size_t size(int value)
{
    expect(value >= 0);
    return (size_t)value;
}

/* ---- CBLAS ---- */

void cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_A, CBLAS_TRANSPOSE op_B, blasint m,
                 blasint n, blasint k, double alpha, const double *A, blasint lda, const double *B,
                 blasint ldb, double beta, double *C, blasint ldc)
{
    expect(order == CblasColMajor && (beta == 1.0 || beta == 0.0));
    for (size_t j = 0; beta == 0.0 && j < size(n); j++)
        for (size_t i = 0; i < size(m); i++)
            C[i + j * size(ldc)] = 0.0;
    reference_gemm(op_A == CblasTrans, op_B == CblasTrans, size(m), size(n), size(k), alpha, A,
                   size(lda), B, size(ldb), C, size(ldc));
}

void cblas_dgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE op, blasint m, blasint n, double alpha,
                 const double *A, blasint lda, const double *x, blasint x_stride, double beta,
                 double *y, blasint y_stride)
{
    expect(order == CblasColMajor && op == CblasNoTrans && x_stride == 1 && y_stride == 1 &&
           beta == 1.0);
    reference_gemm(false, false, size(m), 1, size(n), alpha, A, size(lda), x, size(n), y, size(m));
}

void cblas_dsyrk(CBLAS_ORDER order, CBLAS_UPLO uplo, CBLAS_TRANSPOSE op, blasint n, blasint k,
                 double alpha, const double *A, blasint lda, double beta, double *C, blasint ldc)
{
    expect(order == CblasColMajor && uplo == CblasLower && op == CblasNoTrans && beta == 1.0);
    reference_syrk(size(n), size(k), alpha, A, size(lda), C, size(ldc));
}

void cblas_dtrmm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE op,
                 CBLAS_DIAG diag, blasint m, blasint n, double alpha, const double *A, blasint lda,
                 double *B, blasint ldb)
{
    expect(order == CblasColMajor && side == CblasLeft && alpha == 1.0);
    reference_trmm(uplo == CblasLower ? TRIANGLE_LOWER : TRIANGLE_UPPER, op == CblasTrans,
                   diag == CblasUnit, size(m), size(n), A, size(lda), B, size(ldb));
}

void cblas_dtrsm(CBLAS_ORDER order, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE op,
                 CBLAS_DIAG diag, blasint m, blasint n, double alpha, const double *A, blasint lda,
                 double *B, blasint ldb)
{
    expect(order == CblasColMajor && alpha == 1.0);
    if (side == CblasLeft) {
        expect(uplo == CblasLower && op == CblasNoTrans && diag == CblasUnit);
        reference_trsm_left_unit_lower(size(m), size(n), A, size(lda), B, size(ldb));
    } else if (uplo == CblasLower) {
        expect(op == CblasTrans && diag == CblasNonUnit);
        reference_trsm_right_lower_transposed(size(m), size(n), A, size(lda), B, size(ldb));
    } else {
        expect(op == CblasNoTrans && diag == CblasNonUnit);
        reference_trsm_right_upper(size(m), size(n), A, size(lda), B, size(ldb));
    }
}

/* ---- LAPACKE ---- */

lapack_int LAPACKE_dgetrf_work(int layout, lapack_int m, lapack_int n, double *A, lapack_int lda,
                               lapack_int *pivots)
{
    expect(layout == LAPACK_COL_MAJOR);
    return reference_getrf(size(m), size(n), A, size(lda), pivots);
}

lapack_int LAPACKE_dlaswp_work(int layout, lapack_int n, double *A, lapack_int lda, lapack_int k1,
                               lapack_int k2, const lapack_int *pivots, lapack_int step)
{
    expect(layout == LAPACK_COL_MAJOR && step == 1);
    reference_laswp(size(n), A, size(lda), size(k1 - 1), size(k2), pivots);
    return 0;
}

lapack_int LAPACKE_dtpqrt_work(int layout, lapack_int m, lapack_int n, lapack_int l, lapack_int ib,
                               double *A, lapack_int lda, double *B, lapack_int ldb, double *T,
                               lapack_int ldt, double *work)
{
    expect(layout == LAPACK_COL_MAJOR);
    reference_tpqrt(size(m), size(n), size(l), size(ib), A, size(lda), B, size(ldb), T, size(ldt),
                    work);
    return 0;
}

lapack_int LAPACKE_dtpmqrt_work(int layout, char side, char op, lapack_int m, lapack_int n,
                                lapack_int k, lapack_int l, lapack_int ib, const double *V,
                                lapack_int ldv, const double *T, lapack_int ldt, double *A,
                                lapack_int lda, double *B, lapack_int ldb, double *work)
{
    expect(layout == LAPACK_COL_MAJOR && side == 'L');
    reference_tpmqrt(op == 'T', size(m), size(n), size(k), size(l), size(ib), V, size(ldv), T,
                     size(ldt), A, size(lda), B, size(ldb), work);
    return 0;
}
