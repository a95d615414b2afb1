/* SPDX-License-Identifier: BSD-3-Clause
 * Cholesky `nested`: the graph of `depend`; inside each task but the panel's, a parallel region over
 * slices of the tile. */
#include "cholesky/cholesky.h"
#include "cholesky/slices.h"

void cholesky_run_slices(struct problem *p, struct sliced_call call)
{
    size_t slices = p->parameters[CHOLESKY_INNER_THREADS], k = call.k, m = call.m, n = call.n;
    enum sliced kernel = call.kernel;
#pragma omp parallel for num_threads((int)slices) schedule(static, 1) \
    firstprivate(p, kernel, k, m, n, slices)
    for (size_t slice = 0; slice < slices; slice++)
        cholesky_slice(p, (struct sliced_call){kernel, k, m, n}, slice);
}

/* The tasks of `depend` call these. */
#define cholesky_depend cholesky_nested
#define cholesky_trsm cholesky_sliced_trsm
#define cholesky_syrk cholesky_sliced_syrk
#define cholesky_gemm cholesky_sliced_gemm
#include "cholesky/depend.c" /* NOLINT(bugprone-suspicious-include) */
