/* SPDX-License-Identifier: BSD-3-Clause
 * Products and triangular solves by their definition, one element after the other. */
#include "tests/race/reference/reference.h"

static size_t at(bool transpose, size_t i, size_t j, size_t ld)
{
    return transpose ? j + i * ld : i + j * ld;
}

void reference_gemm(bool transpose_A, bool transpose_B, size_t m, size_t n, size_t k, double alpha,
                    const double *A, size_t lda, const double *B, size_t ldb, double *C, size_t ldc)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            double sum = 0.0;
            for (size_t p = 0; p < k; p++)
                sum += A[at(transpose_A, i, p, lda)] * B[at(transpose_B, p, j, ldb)];
            C[i + j * ldc] += alpha * sum;
        }
}

void reference_syrk(size_t n, size_t k, double alpha, const double *A, size_t lda, double *C,
                    size_t ldc)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = 0.0;
            for (size_t p = 0; p < k; p++)
                sum += A[i + p * lda] * A[j + p * lda];
            C[i + j * ldc] += alpha * sum;
        }
}

/* Element i of op(T) b, from elements of b on one side of i only. */
static double triangle_times(bool below, bool transpose, bool unit, size_t m, const double *T,
                             size_t ldt, const double *b, size_t i)
{
    double sum = unit ? b[i] : T[i + i * ldt] * b[i];
    for (size_t p = below ? 0 : i + 1; p < (below ? i : m); p++)
        sum += T[at(transpose, i, p, ldt)] * b[p];
    return sum;
}

void reference_trmm(enum triangle triangle, bool transpose, bool unit, size_t m, size_t n,
                    const double *T, size_t ldt, double *B, size_t ldb)
{
    /* op(T) is lower: element i needs the elements before it, so the last one comes first. */
    bool lower = (triangle == TRIANGLE_LOWER) != transpose;
    for (size_t j = 0; j < n; j++) {
        double *b = B + j * ldb;
        for (size_t step = 0; step < m; step++) {
            size_t i = lower ? m - 1 - step : step;
            b[i] = triangle_times(lower, transpose, unit, m, T, ldt, b, i);
        }
    }
}

void reference_trsm_left_unit_lower(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                    size_t ldb)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++)
            for (size_t p = 0; p < i; p++)
                B[i + j * ldb] -= L[i + p * ldl] * B[p + j * ldb];
}

/* Column j of B, once the columns before it are solved: X(:,j) T(j,j) = B(:,j) - Σ X(:,p) T(p,j). */
static void solve_column(bool transpose, size_t m, const double *T, size_t ldt, double *B,
                         size_t ldb, size_t j)
{
    for (size_t i = 0; i < m; i++) {
        double value = B[i + j * ldb];
        for (size_t p = 0; p < j; p++)
            value -= B[i + p * ldb] * T[at(transpose, p, j, ldt)];
        B[i + j * ldb] = value / T[j + j * ldt];
    }
}

void reference_trsm_right_lower_transposed(size_t m, size_t n, const double *L, size_t ldl,
                                           double *B, size_t ldb)
{
    for (size_t j = 0; j < n; j++)
        solve_column(true, m, L, ldl, B, ldb, j);
}

void reference_trsm_right_upper(size_t m, size_t n, const double *U, size_t ldu, double *B,
                                size_t ldb)
{
    for (size_t j = 0; j < n; j++)
        solve_column(false, m, U, ldu, B, ldb, j);
}
