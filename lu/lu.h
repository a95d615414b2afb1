/* SPDX-License-Identifier: BSD-3-Clause
 * Tiled LU factorization with partial pivoting, P A = L U: its kernels by tile coordinates.
 * This is the part that cw-extension/ shares; everything else of lu/ is private to it. */
#ifndef POLLUX_LU_LU_H
#define POLLUX_LU_LU_H

#include "common/run/benchmark.h"

/** What LU adds to a problem. */
struct lu_factors {
    int *pivots;      /**< LAPACK's ipiv, 1-based rows */
    double *panel;    /**< scratch of kernel_getrf; panels follow each other */
    double *standins; /**< one address for each tile column, and one before the first */
};

/** An address that stands for all of tile column j, j = -1 … nt-1. Column -1 does not exist: tasks
 * that would name it wait for nothing. */
double *lu_column(const struct problem *p, ptrdiff_t j);

/* Step k: column k is factored from row k*nb down, rows exchanged within the panel */
void lu_getrf(struct problem *p, size_t k);
/* Step k: the panel's row exchanges on column j */
void lu_laswp(struct problem *p, size_t k, size_t j);
/* The exchanges of all panels behind column j, on column j, in one pass */
void lu_laswp_behind(struct problem *p, size_t j);
/* Step k, topmost tile t = tile_top(A, k), of which it works on the rows from k*nb down: the first nb of
 * them, B(k,j), := L(k,k)⁻¹ B(k,j); with tall tiles, the rows below minus those of A(t,k) times B(k,j) */
void lu_trsm(struct problem *p, size_t k, size_t j);
/* Step k: A(m,j) := A(m,j) - A(m,k) B(k,j), m > t */
void lu_gemm(struct problem *p, size_t k, size_t m, size_t j);

/* The functions of a benchmark's description (common/run/benchmark.h). */
size_t lu_factor_bytes(const struct problem *p);
size_t lu_workspace_doubles(const struct problem *p);
int lu_create(struct problem *p);
void lu_destroy(struct problem *p);
void lu_multiply(struct problem *p, struct tile X, struct tile Y);
uint64_t lu_digest(const struct problem *p);

/** What info = +i of an LU factorization means. */
extern const char lu_failure[];

#endif
