/* SPDX-License-Identifier: BSD-3-Clause
 * The graph of the benchmark cholesky, variant `depend`. */
#include "micro/algorithm.h"

#define cholesky_depend empty_cholesky_depend
#define cholesky_seq empty_cholesky_seq
#define cholesky_potrf empty_cholesky_potrf
#define cholesky_trsm empty_cholesky_trsm
#define cholesky_syrk empty_cholesky_syrk
#define cholesky_gemm empty_cholesky_gemm
/* The sources of the benchmark. NOLINTBEGIN(bugprone-suspicious-include) */
#include "cholesky/depend.c"
#include "cholesky/seq.c"
/* NOLINTEND(bugprone-suspicious-include) */

void cholesky_potrf(struct problem *p, size_t k)
{
    if (begin_task(p, k, k, k))
        writes_tile(p, k, k);
}

void cholesky_trsm(struct problem *p, size_t k, size_t m)
{
    if (!begin_task(p, k, m, k))
        return;
    reads_tile(p, k, k);
    writes_tile(p, m, k);
}

void cholesky_syrk(struct problem *p, size_t k, size_t n)
{
    if (!begin_task(p, k, n, n))
        return;
    reads_tile(p, n, k);
    writes_tile(p, n, n);
}

void cholesky_gemm(struct problem *p, size_t k, size_t m, size_t n)
{
    if (!begin_task(p, k, m, n))
        return;
    reads_tile(p, m, k);
    reads_tile(p, n, k);
    writes_tile(p, m, n);
}

static size_t tasks(size_t tiles)
{
    return tiles * (tiles + 1) * (tiles + 2) / 6;
}

const struct algorithm cholesky_algorithm = {
    .variant = "depend", .tasks = tasks, .submit = cholesky_depend, .sequential = cholesky_seq};
