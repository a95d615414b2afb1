/* SPDX-License-Identifier: BSD-3-Clause
 * The tile operations, named after LAPACK's, over OpenBLAS or, in the kernel set `tuned`, the suite's own
 * code (docs/evaluation/performance.md).
 *
 * Every kernel counts itself, reports the tiles it touches to the execution's observer, and does
 * nothing once a task of the same run has failed. `step` is the outer iteration k it belongs to.
 * Tiles are column-major views (common/matrix/tile_matrix.h), of whole tiles or of their lower rows; all sizes
 * come from them, and their origins are reported and traced. No kernel allocates; scratch memory is the
 * calling thread's workspace (its size: `*_workspace_doubles`), and products copy parts of factors
 * to its thread-local storage.
 *
 * A 1-based column of the whole matrix is recorded by execution_fail where a factorization breaks
 * down, with LAPACK's meaning of info > 0; a value that is not finite counts as a break-down. */
#ifndef POLLUX_KERNELS_KERNELS_H
#define POLLUX_KERNELS_KERNELS_H

#include <stddef.h>

#include "common/execution/execution.h"
#include "common/matrix/operands.h"
#include "common/matrix/tile_matrix.h"
#include "kernels/dense/choice.h"

/** The descriptions of the kernels, for the table of kernels in a benchmark's description. */
extern const struct kernel about_potrf, about_trsm_right_lower, about_syrk, about_gemm_transposed,
    about_gemm, about_getrf, about_laswp, about_laswp_from, about_trsm_left_unit, about_getrf_nopiv,
    about_trsm_right_upper, about_geqrt, about_unmqr, about_tsqrt, about_tsmqr, about_ttqrt,
    about_ttmqr, about_gemm_fill;

/* ---- Cholesky: A = L Lᵀ, lower triangles (LAPACK dpotrf and the BLAS it calls) ---- */

/** A := L with L Lᵀ = A in the first n rows of the m × n tile, of which only the lower triangle is read
 * and written; the rows below, if any, become B L⁻ᵀ.
 * Fails at column `first_column` + j if the leading minor of order j is not positive. */
void kernel_potrf(struct execution *x, size_t step, size_t first_column, struct tile A);

/** B := B L⁻ᵀ with L the lower triangle of the n × n tile; B is m × n. */
void kernel_trsm_right_lower(struct execution *x, size_t step, struct tile L, struct tile B);

/** C := C - A A₁ᵀ on the lower trapezoid of C, A₁ being the first n rows of A; A is m × k, C is
 * m × n, m >= n. */
void kernel_syrk(struct execution *x, size_t step, struct tile A, struct tile C);

/** C := C - A op(B): A is m × k, op(B) is k × n, C is m × n. */
void kernel_gemm(struct execution *x, size_t step, enum transpose op, struct tile A, struct tile B,
                 struct tile C);

/** C := -A B, whatever C contains before: A is m × k, B is k × n, C is m × n. It is the bits that kernel_gemm
 * gives where C is zero. */
void kernel_gemm_fill(struct execution *x, size_t step, struct tile A, struct tile B,
                      struct tile C);

/* ---- LU: P A = L U with partial pivoting (dgetrf, dlaswp) ---- */

/** Factors tile column k of A from row k*nb down, with partial pivoting.
 * @param[in,out] A    rows k*nb … m-1 of columns k*nb … are overwritten by L and U
 * @param[in]     k    the panel: tile column and step
 * @param[out]    pivots pivots[k*nb + i]: 1-based row of the matrix exchanged with row k*nb + i,
 *                LAPACK's ipiv
 * @param         panel scratch of kernel_getrf_panel_doubles(A); panels follow each other, so one
 *                is enough
 * Fails at the first column that contains a value that is not finite, or else at the first whose pivot is zero or
 * has become infinite. */
void kernel_getrf(struct execution *x, size_t k, struct tile_matrix *A, int *pivots, double *panel);

/** Doubles of scratch memory for kernel_getrf: one column of tiles. */
size_t kernel_getrf_panel_doubles(const struct tile_matrix *A);

/** Applies the row exchanges of panel k to tile column j of A (LAPACK dlaswp, forward). */
void kernel_laswp(struct execution *x, size_t k, struct tile_matrix *A, size_t j,
                  const int *pivots);

/** Applies the row exchanges of panels k, k + 1 … to tile column j of A in one pass over it: what a
 * column left of them needs, at an eighth of the time of one pass for each (docs/evaluation/performance.md).
 * k < tile_steps(A). Uses kernel_laswp_workspace_doubles(A->m). */
void kernel_laswp_from(struct execution *x, size_t k, struct tile_matrix *A, size_t j,
                       const int *pivots);

/** Some of a column's tiles: those in rows first, first + stride … */
struct laswp_part {
    size_t first, stride;
    bool last; /**< all other parts are done */
};

/** kernel_laswp in parts, for tiles that are in different places: each exchanges rows of its tiles, all below the
 * step's, with rows of tile (k, j), and needs no other tile. The last one brings the rows of (k, j) into their order,
 * and is named by that tile in traces; the others by their first one, which exists. A's tiles are square, k < j. Uses
 * kernel_laswp_workspace_doubles(A->m). */
void kernel_laswp_part(struct execution *x, size_t k, struct tile_matrix *A, size_t j,
                       const int *pivots, struct laswp_part part);

/** Doubles of workspace for kernel_laswp_from and kernel_laswp_part on a matrix of m rows. */
size_t kernel_laswp_workspace_doubles(size_t m);

/** B₁ := L₁⁻¹ B₁ with L₁ the unit lower triangle of the first n = min(rows, cols) rows of L, and B₁ the
 * first n rows of B; then the rows below, if any: B₂ := B₂ - L₂ B₁. B has L's rows. */
void kernel_trsm_left_unit(struct execution *x, size_t step, struct tile L, struct tile B);

/** A := L U without pivoting, unit lower L; the tile is m × n.
 * Fails at column `first_column` + j if that pivot is zero or not finite. */
void kernel_getrf_nopiv(struct execution *x, size_t step, size_t first_column, struct tile A);

/** B := B U⁻¹ with U the upper triangle of the n × n tile; B is m × n. */
void kernel_trsm_right_upper(struct execution *x, size_t step, struct tile U, struct tile B);

/* ---- QR: A = Q R by Householder reflectors in the compact WY form (dgeqrt, dtpqrt) ----
 * T holds the triangular factors of blocks of `ib` reflectors side by side: ib × n. Below the triangles
 * kernel_geqrt and kernel_tsqrt store zeros, which kernel_unmqr and kernel_tsmqr rely on. Tiles may have
 * any number of rows; a matrix C has at most as many columns as the tiles.
 *
 * T may have kernel_qr_T_columns columns. Where these are more, kernel_tsqrt stores products of V and the
 * triangles in the rest, and kernel_tsmqr, given the same V and T, is faster with Qᵀ. */

/** Columns of T for tiles of at most rows × cols: cols, or more. */
size_t kernel_qr_T_columns(size_t rows, size_t cols, size_t ib);

/** A := (V, R) of the m × n tile; T is ib × min(m, n). Fails at `first_column` + j if R(j, j) is
 * not finite. */
void kernel_geqrt(struct execution *x, size_t step, size_t first_column, struct tile A,
                  struct tile T);

/** C := Qᵀ C or Q C, with V (unit lower trapezoid) and T from kernel_geqrt; C has V's rows. */
void kernel_unmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C);

/** QR of the n × n triangle R on top of the full m × n tile A: R is replaced, A becomes V.
 * (PLASMA's name; LAPACK dtpqrt with l = 0.) Fails as kernel_geqrt does. */
void kernel_tsqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T);

/** (C1; C2) := Qᵀ or Q times (C1; C2), with V and T from kernel_tsqrt.
 * Of C1 the first V.cols rows take part. */
void kernel_tsmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2);

/** As kernel_tsqrt where A too is upper triangular (trapezoidal): LAPACK dtpqrt with l = m. */
void kernel_ttqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T);

/** As kernel_tsmqr with V and T from kernel_ttqrt. The reflectors kernel_geqrt left below the
 * diagonal of V are not touched. */
void kernel_ttmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2);

/** Doubles of workspace that the QR kernels need for tiles, and matrices C, of at most that many columns,
 * and this inner block. */
size_t kernel_qr_workspace_doubles(size_t columns, size_t ib);

#endif
