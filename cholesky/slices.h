/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels of Cholesky divided into slices, for a team of threads inside a task. Slices of one call write different
 * rows or columns of one tile, and read nothing that another of them writes. */
#ifndef POLLUX_CHOLESKY_SLICES_H
#define POLLUX_CHOLESKY_SLICES_H

#include "common/run/benchmark.h"

/** Indices of the parameters. */
enum { CHOLESKY_INNER_THREADS };

/** The work of one kernel call. */
struct slices {
    size_t count;
    struct tile A, B, C; /**< C is written */
    void (*compute)(const struct slices *all, size_t slice);
};

/** Computes one slice; called by the threads of a team inside a task, once for each. */
void cholesky_slice(struct problem *p, const struct slices *all, size_t slice);

/** Computes all slices of a call, each on a thread of a team of its own. */
void cholesky_run_slices(struct problem *p, const struct slices *all);

/* The steps of cholesky.h by slices: rows of trsm and gemm, columns of syrk. */
void cholesky_sliced_trsm(struct problem *p, size_t k, size_t m);
void cholesky_sliced_syrk(struct problem *p, size_t k, size_t n);
void cholesky_sliced_gemm(struct problem *p, size_t k, size_t m, size_t n);

#endif
