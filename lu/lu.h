/* SPDX-License-Identifier: BSD-3-Clause
 * Tiled LU factorization with partial pivoting, P A = L U: its kernels by tile coordinates.
 * This is the part that cw-extension/ shares; everything else of lu/ is private to it. */
#ifndef POLLUX_LU_LU_H
#define POLLUX_LU_LU_H

#include "common/benchmark.h"

/** What LU adds to a problem. */
struct lu_factors {
    int *pivots;      /**< LAPACK's ipiv, 1-based rows */
    double *panel;    /**< scratch of kernel_getrf; panels follow each other */
    double *standins; /**< one address for each tile column, and one before the first */
};

/** Number of steps: panels to be factored. */
size_t lu_steps(const struct problem *p);

/** An address that stands for all of tile column j, j = -1 … nt-1. Column -1 does not exist: tasks
 * that would name it wait for nothing. */
double *lu_column(const struct problem *p, ptrdiff_t j);

/* Step k: A(k:,k) is factored, rows exchanged within the panel */
void lu_getrf(struct problem *p, size_t k);
/* Step k: the panel's row exchanges on A(k:,j) */
void lu_laswp(struct problem *p, size_t k, size_t j);
/* Step k: A(k,j) := L(k,k)⁻¹ A(k,j) */
void lu_trsm(struct problem *p, size_t k, size_t j);
/* Step k: A(m,j) := A(m,j) - A(m,k) A(k,j) */
void lu_gemm(struct problem *p, size_t k, size_t m, size_t j);

/* The functions of a benchmark's description (common/benchmark.h). */
size_t lu_factor_bytes(const struct problem *p);
int lu_create(struct problem *p);
void lu_destroy(struct problem *p);
void lu_multiply(struct problem *p, const struct tile_matrix *X, struct tile_matrix *Y);
uint64_t lu_digest(const struct problem *p);

/** What info = +i of an LU factorization means. */
extern const char lu_failure[];

#endif
