/* SPDX-License-Identifier: BSD-3-Clause
 * geqrt, unmqr and the kernels on pairs of tiles. The inner block, of reflectors that are applied
 * together, is the row count of the T tile. */
#include <lapacke.h>
#include <math.h>

#include "kernels/dense/reflectors.h"
#include "kernels/kernels.h"

static size_t at_most(size_t value, size_t limit)
{
    return value < limit ? value : limit;
}

size_t kernel_qr_workspace_doubles(size_t columns, size_t ib)
{
    return reflectors_workspace_doubles(columns, at_most(ib, columns));
}

static void check_diagonal(struct execution *x, size_t first_column, struct tile R, size_t count)
{
    for (size_t j = 0; j < count; j++)
        if (!isfinite(R.a[j + j * R.ld])) {
            execution_fail(x, first_column + j + 1);
            return;
        }
}

/* Makes k reflectors in blocks, and applies each to what follows of the n columns. */
static void factor(struct execution *x, struct qr_panel p, size_t k, size_t n, struct tile T)
{
    double *workspace = execution_worker(x)->workspace;
    for (size_t i = 0; i < k; i += T.rows) {
        size_t ib = at_most(k - i, T.rows);
        struct qr_panel rest = qr_panel_after(p, i);
        double *Ti = T.a + i * T.ld;
        reflectors_factor(rest, ib, Ti, T.ld, workspace);
        struct reflectors H = qr_panel_reflectors(rest, ib, Ti, T.ld);
        reflectors_apply(&H, TRANSPOSE, n - i - ib, qr_panel_operand(rest, ib), workspace);
    }
}

/* Applies the k reflectors of a panel, block after block. */
static void apply(struct execution *x, enum transpose op, struct qr_panel p, size_t k,
                  struct tile T, size_t n, struct operand C)
{
    size_t blocks = (k + T.rows - 1) / T.rows;
    for (size_t b = 0; b < blocks; b++) {
        size_t i = (op == TRANSPOSE ? b : blocks - 1 - b) * T.rows, ib = at_most(k - i, T.rows);
        struct reflectors H = qr_panel_reflectors(qr_panel_after(p, i), ib, T.a + i * T.ld, T.ld);
        struct operand rest = {C.top + i, C.ldtop, C.C + (p.trapezoid ? i : 0), C.ldc};
        reflectors_apply(&H, op, n, rest, execution_worker(x)->workspace);
    }
}

/* A tile that is factored by itself. */
static struct qr_panel one_tile(struct tile A)
{
    return (struct qr_panel){A.a, A.ld, A.a, A.ld, A.rows, true};
}

/* A tile under a triangle. */
static struct qr_panel two_tiles(struct tile R, struct tile A)
{
    return (struct qr_panel){R.a, R.ld, A.a, A.ld, A.rows, false};
}

void kernel_geqrt(struct execution *x, size_t step, size_t first_column, struct tile A,
                  struct tile T)
{
    const struct access accesses[] = {{T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "geqrt", step, accesses, 2))
        return;
    size_t k = at_most(A.rows, A.cols);
    factor(x, one_tile(A), k, A.cols, T);
    check_diagonal(x, first_column, A, k);
    execution_leave(x);
}

void kernel_unmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C)
{
    const struct access accesses[] = {
        {V.origin, ACCESS_READ}, {T.origin, ACCESS_READ}, {C.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "unmqr", step, accesses, 3))
        return;
    struct operand all = {C.a, C.ld, C.a, C.ld};
    apply(x, op, one_tile(V), at_most(V.rows, V.cols), T, C.cols, all);
    execution_leave(x);
}

void kernel_tsqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.origin, ACCESS_WRITE}, {T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "tsqrt", step, accesses, 3))
        return;
    factor(x, two_tiles(R, A), A.cols, A.cols, T);
    check_diagonal(x, first_column, R, A.cols);
    execution_leave(x);
}

void kernel_tsmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2)
{
    const struct access accesses[] = {{V.origin, ACCESS_READ},
                                      {T.origin, ACCESS_READ},
                                      {C1.origin, ACCESS_WRITE},
                                      {C2.origin, ACCESS_WRITE}};
    if (!execution_enter(x, "tsmqr", step, accesses, 4))
        return;
    struct operand both = {C1.a, C1.ld, C2.a, C2.ld};
    apply(x, op, two_tiles(V, V), V.cols, T, C2.cols, both);
    execution_leave(x);
}

/* ---- pairs of triangles: LAPACK's dtpqrt with as many trapezoidal rows as A has ---- */

/* LAPACK wants 1 <= ib <= k. */
static int inner_block(struct tile T, size_t k)
{
    return (int)at_most(T.rows, k);
}

static void factor_triangles(struct execution *x, size_t first_column, struct tile R, struct tile A,
                             struct tile T)
{
    LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, (int)A.rows, (int)A.cols, (int)A.rows,
                        inner_block(T, A.cols), R.a, (int)R.ld, A.a, (int)A.ld, T.a, (int)T.ld,
                        execution_worker(x)->workspace);
    check_diagonal(x, first_column, R, A.cols);
}

static void apply_triangles(struct execution *x, enum transpose op, struct tile V, struct tile T,
                            struct tile C1, struct tile C2)
{
    LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', op == TRANSPOSE ? 'T' : 'N', (int)C2.rows,
                         (int)C2.cols, (int)V.cols, (int)C2.rows, inner_block(T, V.cols), V.a,
                         (int)V.ld, T.a, (int)T.ld, C1.a, (int)C1.ld, C2.a, (int)C2.ld,
                         execution_worker(x)->workspace);
}

void kernel_ttqrt(struct execution *x, size_t step, size_t first_column, struct tile R,
                  struct tile A, struct tile T)
{
    const struct access accesses[] = {
        {R.origin, ACCESS_WRITE}, {T.origin, ACCESS_WRITE}, {A.origin, ACCESS_WRITE}};
    A.rows = at_most(A.rows, A.cols);
    if (!execution_enter(x, "ttqrt", step, accesses, 3))
        return;
    factor_triangles(x, first_column, R, A, T);
    execution_leave(x);
}

void kernel_ttmqr(struct execution *x, size_t step, enum transpose op, struct tile V, struct tile T,
                  struct tile C1, struct tile C2)
{
    const struct access accesses[] = {{V.origin, ACCESS_READ},
                                      {T.origin, ACCESS_READ},
                                      {C1.origin, ACCESS_WRITE},
                                      {C2.origin, ACCESS_WRITE}};
    C2.rows = at_most(V.rows, V.cols);
    if (!execution_enter(x, "ttmqr", step, accesses, 4))
        return;
    apply_triangles(x, op, V, T, C1, C2);
    execution_leave(x);
}
