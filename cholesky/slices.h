/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels of Cholesky divided into slices, for a team of threads inside a task. Slices of one call write different
 * rows or columns of one tile, and read nothing that another of them writes. */
#ifndef POLLUX_CHOLESKY_SLICES_H
#define POLLUX_CHOLESKY_SLICES_H

#include "common/run/benchmark.h"

/** Indices of the parameters. */
enum { CHOLESKY_INNER_THREADS };

/** The kernels that have slices. */
enum sliced { SLICED_TRSM, SLICED_SYRK, SLICED_GEMM };

/** A call of one of them: step k on tile (m, n). Threads get it by value: nothing of the task's stack is shared. */
struct sliced_call {
    enum sliced kernel;
    size_t k, m, n;
};

/** Computes one slice; called by the threads of a team inside a task, once for each. */
void cholesky_slice(struct problem *p, struct sliced_call call, size_t slice);

/** Computes all slices of a call, each on a thread of a team of its own. */
void cholesky_run_slices(struct problem *p, struct sliced_call call);

/* The steps of cholesky.h by slices: rows of trsm and gemm, columns of syrk. */
void cholesky_sliced_trsm(struct problem *p, size_t k, size_t m);
void cholesky_sliced_syrk(struct problem *p, size_t k, size_t n);
void cholesky_sliced_gemm(struct problem *p, size_t k, size_t m, size_t n);

#endif
