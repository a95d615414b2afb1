/* SPDX-License-Identifier: BSD-3-Clause
 * Tiled QR factorization A = Q R: its kernels by tile coordinates, and its variants. */
#ifndef POLLUX_QR_QR_H
#define POLLUX_QR_QR_H

#include "common/matrix/operands.h"
#include "common/run/benchmark.h"

/** What QR adds to a problem. */
struct qr_factors {
    struct tile_matrix
        *T; /**< T(m,k) of geqrt and tsqrt: ib rows, kernel_qr_T_columns columns each */
    struct tile_matrix *S; /**< T(m,k) of ttqrt */
    size_t domains;        /**< of the last factorization; more than there are rows: one for each */
};

/** The place of the parameter `domains`, and what it is. */
enum { QR_DOMAINS };
extern const char qr_domains_summary[];

extern const struct benchmark qr;

/** Addresses of T(m,k), and of the tree's S(m,k): what a `depend` clause names. */
double *qr_T(const struct problem *p, size_t m, size_t k);
double *qr_S(const struct problem *p, size_t m, size_t k);

/** Says in how many domains the factorization about to run reduces: 1 is a flat tree, 0 a domain for each row of tiles.
 * Row m of step k is of domain (m - top) mod domains; its first row is the domain's head. A domain is reduced by a flat
 * tree, the heads by a binary one. */
void qr_use_domains(struct problem *p, size_t domains);

/** The heads of step k are the topmost rows of tiles, so many. */
size_t qr_heads(const struct problem *p, size_t k);

/** The head of row m in step k. */
size_t qr_head(const struct problem *p, size_t k, size_t m);

/* In the graphs A(k,n) is the tile of column n that holds row k*nb, the first of step k, and steps work on
 * it from that row down. With square tiles that is all of it; a tall tile holds the rows of several steps.
 * R(m,k) is the upper triangle of A(m,k). */

/* Step k: A(m,k), T(m,k) := qr(A(m,k)): R(m,k), and below it the reflectors of Q(m,k) */
void qr_geqrt(struct problem *p, size_t k, size_t m);
/* Step k: A(m,n) := Q(m,k)ᵀ A(m,n) */
void qr_unmqr(struct problem *p, size_t k, size_t m, size_t n);
/* Step k: [A(h,k); A(m,k)], T(m,k) := qr([R(h,k); A(m,k)]), h being the head of m: k, where there is one domain */
void qr_tsqrt(struct problem *p, size_t k, size_t m);
/* Step k: [A(h,n); A(m,n)] := Q(m,k)ᵀ [A(h,n); A(m,n)] */
void qr_tsmqr(struct problem *p, size_t k, size_t m, size_t n);
/* Step k: [A(t,k); A(m,k)], S(m,k) := qr([R(t,k); R(m,k)]) */
void qr_ttqrt(struct problem *p, size_t k, size_t t, size_t m);
/* Step k: [A(t,n); A(m,n)] := Q(t,m,k)ᵀ [A(t,n); A(m,n)] */
void qr_ttmqr(struct problem *p, size_t k, size_t t, size_t m, size_t n);

/** Columns of a tile of T, and of all of them in a row. */
size_t qr_T_columns(const struct problem *p);
size_t qr_all_T_columns(const struct problem *p);

/** Calls visit(argument, t, m) for the parts of the Q of step k in the order of the factorization, or backwards: for
 * Q(m,k), where t is m, and for the Q(t,m,k). */
void qr_for_reflectors(const struct problem *p, enum transpose op, size_t k,
                       void (*visit)(void *argument, size_t t, size_t m), void *argument);

/** Such a part times C: it writes the rows of C that belong to A(t,k) and A(m,k), and of the factors reads A(m,k), T(m,k)
 * and S(m,k) alone. */
void qr_apply_reflectors(struct problem *p, enum transpose op, size_t k, size_t t, size_t m,
                         struct tile C);

/** C := Q C or Qᵀ C for a column-major matrix C with A's rows. */
void qr_apply(struct problem *p, enum transpose op, struct tile C);

/* The functions of the benchmark's description (common/run/benchmark.h). */
size_t qr_factor_bytes(const struct problem *p);
size_t qr_workspace_doubles(const struct problem *p);
int qr_create(struct problem *p);
void qr_destroy(struct problem *p);
void qr_multiply(struct problem *p, struct tile X, struct tile Y);
void qr_round_trip(struct problem *p, struct tile X);
uint64_t qr_digest(const struct problem *p);

void qr_seq(struct problem *p);
void qr_forkjoin(struct problem *p);
void qr_depend(struct problem *p);
void qr_lean(struct problem *p);
void qr_tree(struct problem *p);

#endif
