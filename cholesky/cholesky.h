/* SPDX-License-Identifier: BSD-3-Clause
 * Tiled Cholesky factorization A = L Lᵀ of the lower triangle: its four kernels by tile
 * coordinates, and its variants. */
#ifndef POLLUX_CHOLESKY_CHOLESKY_H
#define POLLUX_CHOLESKY_CHOLESKY_H

#include "common/benchmark.h"

extern const struct benchmark cholesky;

/* Step k: A(k,k) := L(k,k) */
void cholesky_potrf(struct problem *p, size_t k);
/* Step k: A(m,k) := A(m,k) L(k,k)⁻ᵀ */
void cholesky_trsm(struct problem *p, size_t k, size_t m);
/* Step k: A(m,m) := A(m,m) - A(m,k) A(m,k)ᵀ */
void cholesky_syrk(struct problem *p, size_t k, size_t m);
/* Step k: A(m,n) := A(m,n) - A(m,k) A(n,k)ᵀ */
void cholesky_gemm(struct problem *p, size_t k, size_t m, size_t n);

void cholesky_seq(struct problem *p);
void cholesky_forkjoin(struct problem *p);
void cholesky_depend(struct problem *p);
void cholesky_left(struct problem *p);

#endif
