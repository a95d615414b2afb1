/* SPDX-License-Identifier: BSD-3-Clause
 * Tiled LU factorization with partial pivoting, P A = L U: its kernels by tile coordinates.
 * This is the part that cw-extension/ shares; everything else of lu/ is private to it. */
#ifndef POLLUX_LU_LU_H
#define POLLUX_LU_LU_H

#include "common/run/benchmark.h"
#include "kernels/kernels.h"
#include "kernels/spread_panel.h"

/** What LU adds to a problem. */
struct lu_factors {
    int *pivots;            /**< LAPACK's ipiv, 1-based rows */
    double *panel;          /**< scratch of kernel_getrf; panels follow each other */
    double *standins;       /**< one address for each tile column, and one before the first */
    struct panel_rows rows; /**< of a panel that is factored where its tiles are */
};

/** An address that stands for all of tile column n. */
double *lu_column(const struct problem *p, size_t n);
/** The same for column k-1. Column -1 does not exist: no task writes its address, so tasks that read it
 * wait for nothing. */
double *lu_column_before(const struct problem *p, size_t k);

/* In the graphs A(k,n) is the tile of column n that holds row k*nb, the first of step k, and steps work on
 * it from that row down. With square tiles that is all of it; a tall tile holds the rows of several steps. */

/* Step k: A(k:,k), P(k) := lu(A(k:,k)), rows exchanged within the panel */
void lu_getrf(struct problem *p, size_t k);
/* The same where the tiles are, with other last bits */
void lu_getrf_spread(struct problem *p, size_t k);
/* Step k: A(k:,n) := P(k) A(k:,n) */
void lu_laswp(struct problem *p, size_t k, size_t n);
/* The same in parts: of A(k,n) and some of the tiles below */
void lu_laswp_part(struct problem *p, size_t k, size_t n, struct laswp_part part);
/* A(n+1:,n) := P(steps-1) … P(n+1) A(n+1:,n), in one pass */
void lu_laswp_behind(struct problem *p, size_t n);
/* Step k: A(k,n) := L(k,k)⁻¹ A(k,n); on a tall tile, the update of the rows below the step's too */
void lu_trsm(struct problem *p, size_t k, size_t n);
/* Step k without pivoting: A(k,k) := lu(A(k,k)) */
void lu_getrf_nopiv(struct problem *p, size_t k);
/* Step k without pivoting: A(m,k) := A(m,k) U(k,k)⁻¹, m >= tile_below(A, k) */
void lu_trsm_right(struct problem *p, size_t k, size_t m);
/* Step k: A(m,n) -= A(m,k) A(k,n), m >= tile_below(A, k) */
void lu_gemm(struct problem *p, size_t k, size_t m, size_t n);

/** Pivots that exchange no rows. */
void lu_no_exchanges(struct problem *p);

/** Y := Pᵀ Y for a column-major matrix Y with A's rows. */
void lu_exchange_back(const struct problem *p, struct tile Y);

/* The functions of a benchmark's description (common/run/benchmark.h). */
size_t lu_factor_bytes(const struct problem *p);
/** Of lu_laswp_part and lu_laswp_behind. */
size_t lu_workspace_doubles(const struct problem *p);
int lu_create(struct problem *p);
void lu_destroy(struct problem *p);

/** After lu_create: what lu_getrf_spread needs where candidates come from so many other places.
 * @return 0, or -1 if out of memory */
int lu_create_rows(struct problem *p, size_t others);
/** Its bytes; sizes only are known. */
size_t lu_rows_bytes(const struct problem *p, size_t others);

void lu_multiply(struct problem *p, struct tile X, struct tile Y);
uint64_t lu_digest(const struct problem *p);

/** What info = +i of an LU factorization means. */
extern const char lu_failure[];

#endif
