/* SPDX-License-Identifier: BSD-3-Clause
 * LU factorization without pivoting, A = L U, of a sparse matrix of dense blocks: its kernels by block
 * coordinates, and its variants. A block that is zero in A and not in L + U fills in: it appears while
 * the tasks are created, with the first one that updates it. */
#ifndef POLLUX_BENCHMARKS_SPARSELU_SPARSELU_H
#define POLLUX_BENCHMARKS_SPARSELU_SPARSELU_H

#include "benchmarks/sparselu/blocks.h"
#include "benchmarks/sparselu/pattern.h"
#include "common/run/benchmark.h"

extern const struct benchmark sparselu;

/** What the benchmark adds to a problem. */
struct sparselu_factors {
    struct block_pattern pattern; /**< the blocks of A */
    double flops;                 /**< operations of its factorization */
    struct block_matrix blocks;   /**< A, and L and U in its place */
};

/** The blocks of the problem's matrix. */
struct block_matrix *sparselu_blocks(const struct problem *p);

/** The elements of the blocks of A, by the problem's seed. */
struct input sparselu_values(const struct problem *p);

/* Step k, m > k, n > k; the names are those of the literature. */

/* A(k,k) := lu(A(k,k)) */
void sparselu_lu0(struct problem *p, size_t k);
/* A(k,n) := L(k,k)⁻¹ A(k,n) */
void sparselu_fwd(struct problem *p, size_t k, size_t n);
/* A(m,k) := A(m,k) U(k,k)⁻¹ */
void sparselu_bdiv(struct problem *p, size_t k, size_t m);
/* A(m,n) -= A(m,k) A(k,n); A(m,n) is zero before if it appears with this update */
void sparselu_bmod(struct problem *p, size_t k, size_t m, size_t n, bool appears);

void sparselu_seq(struct problem *p);
void sparselu_forkjoin(struct problem *p);
void sparselu_depend(struct problem *p);

/* The functions of the description (common/run/benchmark.h). */
void sparselu_require(const struct problem *p);
double sparselu_operations(const struct problem *p);
double sparselu_tasks(const struct problem *p, const struct variant *variant);
size_t sparselu_bytes(const struct problem *p);
size_t sparselu_verify_bytes(const struct problem *p, enum check check);
int sparselu_create(struct problem *p);
void sparselu_destroy(struct problem *p);
void sparselu_generate(struct problem *p);
bool sparselu_verify(struct problem *p, enum check check, struct verification *result);
size_t sparselu_figures(const struct problem *p, double seconds, struct figure *figures);
uint64_t sparselu_digest(const struct problem *p);
void sparselu_coordinates(const struct problem *p, size_t k, const void *object, size_t *i,
                          size_t *j);

#endif
