/* SPDX-License-Identifier: BSD-3-Clause
 * The BLAS and LAPACK routines that kernels/ calls, in plain loops that a sanitizer can watch.
 *
 * Each reads and writes those elements of its operands that the routine of that name does, which
 * tests/race/reference_test.cpp checks against OpenBLAS. Matrices are column-major, each followed by
 * its leading dimension; sizes are elements. `info` is LAPACK's: 0, or the 1-based column at which
 * the factorization broke down. Only the cases in use exist; stand_in.c gives them their real names. */
#ifndef POLLUX_TESTS_RACE_REFERENCE_REFERENCE_H
#define POLLUX_TESTS_RACE_REFERENCE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum triangle { TRIANGLE_LOWER, TRIANGLE_UPPER };

/* ---- BLAS ---- */

/** C := C + alpha op(A) op(B), with op(A) m × k, op(B) k × n and C m × n. */
void reference_gemm(bool transpose_A, bool transpose_B, size_t m, size_t n, size_t k, double alpha,
                    const double *A, size_t lda, const double *B, size_t ldb, double *C,
                    size_t ldc);

/** The lower triangle of C := C + alpha A Aᵀ, with A n × k. */
void reference_syrk(size_t n, size_t k, double alpha, const double *A, size_t lda, double *C,
                    size_t ldc);

/** B := op(T) B, with T that triangle of an m × m matrix, its diagonal taken as ones if `unit`. */
void reference_trmm(enum triangle triangle, bool transpose, bool unit, size_t m, size_t n,
                    const double *T, size_t ldt, double *B, size_t ldb);

/** B := L⁻¹ B, with L unit lower m × m and B m × n. */
void reference_trsm_left_unit_lower(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                    size_t ldb);

/** B := B L⁻ᵀ, with L lower n × n and B m × n. */
void reference_trsm_right_lower_transposed(size_t m, size_t n, const double *L, size_t ldl,
                                           double *B, size_t ldb);

/** B := B U⁻¹, with U upper n × n and B m × n. */
void reference_trsm_right_upper(size_t m, size_t n, const double *U, size_t ldu, double *B,
                                size_t ldb);

/* ---- LAPACK: LU ---- */

/** A := L U with partial pivoting; pivots[i] is the 1-based row exchanged with row i. @return info */
int reference_getrf(size_t m, size_t n, double *A, size_t lda, int *pivots);

/** Exchanges rows i and pivots[i] - 1 for i = first, …, last - 1 in n columns. */
void reference_laswp(size_t n, double *A, size_t lda, size_t first, size_t last, const int *pivots);

/* ---- LAPACK: QR in the compact WY form ----
 * T holds the upper triangular factors of blocks of `ib` reflectors side by side. */

/** QR of the triangle A (n × n) on top of B (m × n), whose last l rows are upper trapezoidal: A := R,
 * B := V. `work` holds n doubles. */
void reference_tpqrt(size_t m, size_t n, size_t l, size_t ib, double *A, size_t lda, double *B,
                     size_t ldb, double *T, size_t ldt, double *work);

/** (A; B) := Qᵀ or Q times (A; B), A k × n, B m × n, with V (m × k), l and T of reference_tpqrt.
 * `work` holds n ib doubles. */
void reference_tpmqrt(bool transpose, size_t m, size_t n, size_t k, size_t l, size_t ib,
                      const double *V, size_t ldv, const double *T, size_t ldt, double *A,
                      size_t lda, double *B, size_t ldb, double *work);

#ifdef __cplusplus
}
#endif

#endif
