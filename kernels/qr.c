/* SPDX-License-Identifier: BSD-3-Clause
 * geqrt, unmqr and the kernels on pairs of tiles, over LAPACK's compact WY routines. The inner
 * block is the row count of the T tile. */
#include <lapacke.h>
#include <math.h>

#include "kernels/kernels.h"

static size_t at_most(size_t value, size_t limit)
{
    return value < limit ? value : limit;
}

size_t kernel_qr_workspace_doubles(size_t nb, size_t ib)
{
    return nb * at_most(ib, nb);
}

/* LAPACK wants 1 <= ib <= k. */
static int inner_block(struct tile T, size_t k)
{
    return (int)at_most(T.rows, k);
}

static void check_diagonal(struct execution *x, size_t first_column, struct tile R, size_t count)
{
    for (size_t j = 0; j < count; j++)
        if (!isfinite(R.a[j + j * R.ld])) {
            execution_fail(x, first_column + j + 1);
            return;
        }
}

void kernel_geqrt(struct execution *x, size_t step, size_t first_column, struct tile A,
                  struct tile T)
{
    const struct access accesses[] = {{T.a, ACCESS_WRITE}, {A.a, ACCESS_WRITE}};
    if (!execution_enter(x, "geqrt", step, accesses, 2))
        return;
    size_t k = at_most(A.rows, A.cols);
    LAPACKE_dgeqrt_work(LAPACK_COL_MAJOR, (int)A.rows, (int)A.cols, inner_block(T, k), A.a,
                        (int)A.ld, T.a, (int)T.ld, execution_worker(x)->workspace);
    check_diagonal(x, first_column, A, k);
    execution_leave(x);
}

void kernel_unmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C)
{
    const struct access accesses[] = {{V.a, ACCESS_READ}, {T.a, ACCESS_READ}, {C.a, ACCESS_WRITE}};
    if (!execution_enter(x, "unmqr", step, accesses, 3))
        return;
    size_t k = at_most(V.rows, V.cols);
    LAPACKE_dgemqrt_work(LAPACK_COL_MAJOR, 'L', op == TRANSPOSE ? 'T' : 'N', (int)C.rows,
                         (int)C.cols, (int)k, inner_block(T, k), V.a, (int)V.ld, T.a, (int)T.ld,
                         C.a, (int)C.ld, execution_worker(x)->workspace);
    execution_leave(x);
}

/* dtpqrt: l rows of A are upper trapezoidal, the rest is full. */
static void factor_pair(struct execution *x, size_t l, size_t first_column, struct tile R,
                        struct tile A, struct tile T)
{
    LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, (int)A.rows, (int)A.cols, (int)l, inner_block(T, A.cols),
                        R.a, (int)R.ld, A.a, (int)A.ld, T.a, (int)T.ld,
                        execution_worker(x)->workspace);
    check_diagonal(x, first_column, R, A.cols);
}

static void apply_pair(struct execution *x, size_t l, enum transpose op, struct tile V,
                       struct tile T, struct tile C1, struct tile C2)
{
    LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', op == TRANSPOSE ? 'T' : 'N', (int)C2.rows,
                         (int)C2.cols, (int)V.cols, (int)l, inner_block(T, V.cols), V.a, (int)V.ld,
                         T.a, (int)T.ld, C1.a, (int)C1.ld, C2.a, (int)C2.ld,
                         execution_worker(x)->workspace);
}

void kernel_tsqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.a, ACCESS_WRITE}, {T.a, ACCESS_WRITE}, {A.a, ACCESS_WRITE}};
    if (!execution_enter(x, "tsqrt", step, accesses, 3))
        return;
    factor_pair(x, 0, first_column, R, A, T);
    execution_leave(x);
}

void kernel_tsmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2)
{
    const struct access accesses[] = {
        {V.a, ACCESS_READ}, {T.a, ACCESS_READ}, {C1.a, ACCESS_WRITE}, {C2.a, ACCESS_WRITE}};
    if (!execution_enter(x, "tsmqr", step, accesses, 4))
        return;
    apply_pair(x, 0, op, V, T, C1, C2);
    execution_leave(x);
}

void kernel_ttqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.a, ACCESS_WRITE}, {T.a, ACCESS_WRITE}, {A.a, ACCESS_WRITE}};
    A.rows = at_most(A.rows, A.cols);
    if (!execution_enter(x, "ttqrt", step, accesses, 3))
        return;
    factor_pair(x, A.rows, first_column, R, A, T);
    execution_leave(x);
}

void kernel_ttmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2)
{
    const struct access accesses[] = {
        {V.a, ACCESS_READ}, {T.a, ACCESS_READ}, {C1.a, ACCESS_WRITE}, {C2.a, ACCESS_WRITE}};
    C2.rows = at_most(V.rows, V.cols);
    if (!execution_enter(x, "ttmqr", step, accesses, 4))
        return;
    apply_pair(x, C2.rows, op, V, T, C1, C2);
    execution_leave(x);
}
