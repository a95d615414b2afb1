/* SPDX-License-Identifier: BSD-3-Clause
 * The graphs of the benchmarks lu, variant `depend`, and lu-cw, variant `cw`. */
#include "micro/algorithm.h"

#define lu_depend empty_lu_depend
#define lu_seq empty_lu_seq
#define lu_cw_submit empty_lu_cw
#define lu_column empty_lu_column
#define lu_column_before empty_lu_column_before
#define lu_getrf empty_lu_getrf
#define lu_laswp empty_lu_laswp
#define lu_trsm empty_lu_trsm
#define lu_gemm empty_lu_gemm
/* The sources of the benchmarks. NOLINTBEGIN(bugprone-suspicious-include) */
#include "cw-extension/cw.c"
#include "lu/depend.c"
#include "lu/seq.c"
/* NOLINTEND(bugprone-suspicious-include) */

double *lu_column(const struct problem *p, size_t n)
{
    return stand_in(p, n + 1);
}

double *lu_column_before(const struct problem *p, size_t k)
{
    return stand_in(p, k);
}

void lu_getrf(struct problem *p, size_t k)
{
    if (!begin_task(p, k, k, k))
        return;
    writes_column(p, k, k);
    writes_pivots(p, k);
}

void lu_laswp(struct problem *p, size_t k, size_t n)
{
    if (!begin_task(p, k, p->A->mt, n))
        return;
    reads_pivots(p, k);
    writes_column(p, k, n);
}

void lu_trsm(struct problem *p, size_t k, size_t n)
{
    if (!begin_task(p, k, k, n))
        return;
    reads_tile(p, k, k);
    writes_tile(p, k, n);
}

void lu_gemm(struct problem *p, size_t k, size_t m, size_t n)
{
    if (!begin_task(p, k, m, n))
        return;
    reads_tile(p, m, k);
    reads_tile(p, k, n);
    writes_tile(p, m, n);
    updates_column(p, n);
}

/* A panel for each step; as many exchanges as there are pairs of a step and another column; as many solves as pairs of
 * a step and a column behind it; updates. */
static size_t tasks(size_t tiles)
{
    size_t pairs = tiles * (tiles - 1);
    return tiles + pairs + pairs / 2 + pairs * (2 * tiles - 1) / 6;
}

const struct algorithm lu_algorithm = {.variant = "depend",
                                       .tasks = tasks,
                                       .submit = lu_depend,
                                       .sequential = lu_seq,
                                       .columns = true,
                                       .updates_take_turns = true};

const struct algorithm lu_cw_algorithm = {.variant = "cw",
#if defined(POLLUX_CW_LIBKOMP)
                                          .concurrent_write = "depend(cw)",
#elif defined(POLLUX_CW_OMPSS)
                                          .concurrent_write = "concurrent",
#elif defined(POLLUX_CW_INOUTSET)
                                          .concurrent_write = "depend(inoutset)",
#else
                                          .concurrent_write = "depend(in)",
#endif
                                          .tasks = tasks,
                                          .submit = lu_cw_submit,
                                          .sequential = lu_seq,
                                          .columns = true};
