/* SPDX-License-Identifier: BSD-3-Clause
 * All pieces but the nested updates run in the task of the panel, one after the other: they name the
 * whole panel as written. Updates read it and each write rows of their own. */
#include "lu/panel_pieces.h"

#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/tile_column.h"
#include "lu/lu.h"

static double flops_trsm(struct call_sizes s)
{
    double k = s.k;
    return s.n * k * (k - 1);
}

static double bytes_trsm(struct call_sizes s)
{
    return matrix_bytes(s.k, s.k) + matrix_bytes(s.m, s.n);
}

const struct kernel about_panel_load = {.name = "panel_load",
                                        .count = "0",
                                        .source = "it moves data only",
                                        .growth = GROWS_WITH_BYTES,
                                        .bytes = bytes_of_copy};

const struct kernel about_panel_getrf = {.name = "panel_getrf",
                                         .count = GETRF_COUNT,
                                         .source = LAWN_41,
                                         .growth = GROWS_WITH_ROWS,
                                         .flops = flops_of_getrf,
                                         .bytes = bytes_of_matrix};

const struct kernel about_panel_trsm = {.name = "panel_trsm",
                                        .count = "n k (k - 1)",
                                        .source = LAWN_41,
                                        .flops = flops_trsm,
                                        .bytes = bytes_trsm};

const struct kernel about_panel_gemm = {.name = "panel_gemm",
                                        .count = "2 m n k",
                                        .source = LAWN_41,
                                        .flops = flops_of_product,
                                        .bytes = bytes_of_product};

const struct kernel about_panel_swap = {.name = "panel_swap",
                                        .count = "0",
                                        .source = "it moves data only",
                                        .growth = GROWS_WITH_ROWS,
                                        .bytes = bytes_of_exchange};

const struct kernel about_panel_store = {.name = "panel_store",
                                         .count = "0",
                                         .source = "it moves data only",
                                         .growth = GROWS_WITH_BYTES,
                                         .bytes = bytes_of_copy};

static double *storage(const struct problem *p)
{
    const struct lu_factors *f = p->factors;
    return f->panel;
}

static int *pivots(const struct problem *p, size_t k)
{
    const struct lu_factors *f = p->factors;
    return f->pivots + k * p->A->nb;
}

struct panel piece_view(struct problem *p, size_t k)
{
    const struct lu_factors *f = p->factors;
    return panel_view(p->A, k, f->panel, f->pivots);
}

void piece_coordinates(const struct problem *p, size_t k, const void *object, size_t *row,
                       size_t *column)
{
    size_t offset = (size_t)((const double *)object - storage(p));
    size_t ld = tile_leading_dimension(p->A->m - k * p->A->nb);
    *row = offset % ld;
    *column = offset / ld;
}

/* A piece that works within the packed panel from its element `first` on, and uses the pivots. */
static bool enter(struct problem *p, struct call call, const double *first,
                  enum access_mode pivot_mode)
{
    const struct access accesses[] = {
        {pivots(p, call.step), pivot_mode}, {storage(p), ACCESS_WRITE}, {first, ACCESS_WRITE}};
    return execution_enter(p->execution, call, accesses, 3);
}

void piece_load(struct problem *p, size_t k, struct panel whole)
{
    const struct access others[] = {{storage(p), ACCESS_WRITE}};
    struct column column = {
        .A = p->A, .k = k, .j = k, .mode = ACCESS_READ, .others = others, .other_count = 1};
    if (!column_enter(p->execution, &about_panel_load, column))
        return;
    panel_load(p->A, k, whole);
    size_t bad = panel_first_bad_column(whole);
    if (bad > 0)
        execution_fail(p->execution, k * p->A->nb + bad);
    execution_leave(p->execution);
}

void piece_getrf(struct problem *p, size_t k, struct panel columns)
{
    struct call call = {&about_panel_getrf, k,
                        sizes_mnk(columns.A.rows, columns.A.cols, columns.A.cols)};
    if (!enter(p, call, columns.A.a, ACCESS_WRITE))
        return;
    size_t row, column, bad = panel_factor(columns);
    piece_coordinates(p, k, columns.A.a, &row, &column);
    if (bad > 0)
        execution_fail(p->execution, k * p->A->nb + column + bad);
    execution_leave(p->execution);
}

void piece_trsm(struct problem *p, size_t k, struct panel left, struct panel right)
{
    struct call call = {&about_panel_trsm, k, sizes_mnk(right.A.rows, right.A.cols, left.A.cols)};
    if (!enter(p, call, right.A.a, ACCESS_READ))
        return;
    panel_exchange(left, right);
    panel_solve(left, right);
    execution_leave(p->execution);
}

void piece_gemm(struct problem *p, size_t k, struct panel left, struct panel right, size_t row,
                size_t count)
{
    const struct access accesses[] = {{storage(p), ACCESS_READ}, {right.A.a + row, ACCESS_WRITE}};
    size_t rows = smaller(count, right.A.rows - row);
    struct call call = {&about_panel_gemm, k, sizes_mnk(rows, right.A.cols, left.A.cols)};
    if (!execution_enter(p->execution, call, accesses, 2))
        return;
    panel_update(left, right, row, count);
    execution_leave(p->execution);
}

void piece_swap(struct problem *p, size_t k, struct panel below, struct panel left, size_t rows)
{
    size_t exchanged = smaller(below.A.rows, below.A.cols);
    struct call call = {&about_panel_swap, k, sizes_mnk(left.A.rows, left.A.cols, exchanged)};
    if (!enter(p, call, left.A.a, ACCESS_WRITE))
        return;
    panel_exchange(below, left);
    panel_shift_pivots(below, rows);
    execution_leave(p->execution);
}

void piece_store(struct problem *p, size_t k, struct panel whole)
{
    const struct access others[] = {{pivots(p, k), ACCESS_WRITE}, {storage(p), ACCESS_READ}};
    struct column column = {
        .A = p->A, .k = k, .j = k, .mode = ACCESS_WRITE, .others = others, .other_count = 2};
    if (!column_enter(p->execution, &about_panel_store, column))
        return;
    panel_store(p->A, k, whole);
    panel_shift_pivots(whole, k * p->A->nb);
    execution_leave(p->execution);
}
