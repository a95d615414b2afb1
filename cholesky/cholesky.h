/* SPDX-License-Identifier: BSD-3-Clause
 * Tiled Cholesky factorization A = L Lᵀ of the lower triangle: its four kernels by tile
 * coordinates, and its variants.
 *
 * In the graphs A(n,n) and A(n,k) are the tiles that hold row n*nb, the first of step n. With square
 * tiles those are the tiles of row n; a tall tile holds the rows of several steps (tile_top). */
#ifndef POLLUX_CHOLESKY_CHOLESKY_H
#define POLLUX_CHOLESKY_CHOLESKY_H

#include "common/run/benchmark.h"

extern const struct benchmark cholesky;

/* Step k: A(k,k) := chol(A(k,k)) */
void cholesky_potrf(struct problem *p, size_t k);
/* Step k: A(m,k) := A(m,k) A(k,k)⁻ᵀ, m >= tile_below(A, k) */
void cholesky_trsm(struct problem *p, size_t k, size_t m);
/* Step k: A(n,n) -= A(n,k) A(n,k)ᵀ; on a tall tile, of its second factor the rows of step n only */
void cholesky_syrk(struct problem *p, size_t k, size_t n);
/* Step k: A(m,n) -= A(m,k) A(n,k)ᵀ, m >= tile_below(A, n) */
void cholesky_gemm(struct problem *p, size_t k, size_t m, size_t n);

void cholesky_seq(struct problem *p);
void cholesky_forkjoin(struct problem *p);
void cholesky_depend(struct problem *p);
void cholesky_left(struct problem *p);
void cholesky_nested(struct problem *p);

#endif
