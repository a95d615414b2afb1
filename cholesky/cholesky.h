/* SPDX-License-Identifier: BSD-3-Clause
 * Tiled Cholesky factorization A = L Lᵀ of the lower triangle: its four kernels by tile
 * coordinates, and its variants.
 *
 * Column n begins at row n*nb, in the tile (top(n), n) with top(n) = tile_top(A, n): with square tiles
 * that is (n, n), the diagonal tile. */
#ifndef POLLUX_CHOLESKY_CHOLESKY_H
#define POLLUX_CHOLESKY_CHOLESKY_H

#include "common/run/benchmark.h"

extern const struct benchmark cholesky;

/* Step k: A(top(k),k) := L(top(k),k) */
void cholesky_potrf(struct problem *p, size_t k);
/* Step k: A(m,k) := A(m,k) L(k,k)⁻ᵀ, m > top(k); L(k,k) is the diagonal block */
void cholesky_trsm(struct problem *p, size_t k, size_t m);
/* Step k: the topmost tile of column n, A(top(n),n) := A(top(n),n) - A(top(n),k) B(n,k)ᵀ, where B(n,k) are
 * the rows n*nb … of A(top(n),k), as many as a column has columns */
void cholesky_syrk(struct problem *p, size_t k, size_t n);
/* Step k: A(m,n) := A(m,n) - A(m,k) B(n,k)ᵀ, m > top(n) */
void cholesky_gemm(struct problem *p, size_t k, size_t m, size_t n);

void cholesky_seq(struct problem *p);
void cholesky_forkjoin(struct problem *p);
void cholesky_depend(struct problem *p);
void cholesky_left(struct problem *p);

#endif
