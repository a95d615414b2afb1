/* SPDX-License-Identifier: BSD-3-Clause
 * Packing costs O(rows nb) copies against O(rows nb²) operations of the factorization. */
#include "kernels/dense/panel.h"

#include <lapacke.h>
#include <stdint.h>
#include <string.h>

#include "kernels/avx512/panel.h"
#include "kernels/avx512/product.h"
#include "kernels/dense/triangular_solve.h"
#include "kernels/tile_column.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

struct panel panel_view(const struct tile_matrix *A, size_t k, double *storage, int *pivots)
{
    size_t rows = A->m - k * A->nb;
    return (struct panel){.a = storage,
                          .rows = rows,
                          .cols = tile_cols(A, k),
                          .ld = tile_leading_dimension(rows),
                          .pivots = pivots + k * A->nb};
}

bool panel_in_place(const struct tile_matrix *A, size_t k, int *pivots, struct panel *panel)
{
    if (tile_top(A, k) + 1 != A->mt)
        return false;
    struct tile t = tile_at_step(A, k, k);
    *panel = (struct panel){
        .a = t.a, .rows = t.rows, .cols = t.cols, .ld = t.ld, .pivots = pivots + k * A->nb};
    return true;
}

void panel_load(const struct tile_matrix *A, size_t k, struct panel panel)
{
    double *rows = panel.a;
    for (size_t i = tile_top(A, k); i < A->mt; i++) {
        struct tile t = column_tile(A, k, i, k);
        for (size_t j = 0; j < t.cols; j++)
            memcpy(rows + j * panel.ld, t.a + j * t.ld, t.rows * sizeof(double));
        rows += t.rows;
    }
}

void panel_store(struct tile_matrix *A, size_t k, struct panel panel)
{
    const double *rows = panel.a;
    for (size_t i = tile_top(A, k); i < A->mt; i++) {
        struct tile t = column_tile(A, k, i, k);
        for (size_t j = 0; j < t.cols; j++)
            memcpy(t.a + j * t.ld, rows + j * panel.ld, t.rows * sizeof(double));
        rows += t.rows;
    }
}

/* A double is infinite or NaN when its exponent bits are all set. Tested on integers, so that the
 * compiler can do it in vectors. */
static int column_is_finite(const double *a, size_t rows)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    uint64_t bad = 0;
    for (size_t i = 0; i < rows; i++) {
        uint64_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        bad |= (uint64_t)((bits & exponent) == exponent);
    }
    return !bad;
}

size_t panel_first_bad_column(struct panel panel)
{
    for (size_t j = 0; j < panel.cols; j++)
        if (!column_is_finite(panel.a + j * panel.ld, panel.rows))
            return j + 1;
    return 0;
}

struct panel panel_columns(struct panel panel, size_t first, size_t count)
{
    panel.a += first * panel.ld;
    panel.pivots += first;
    panel.cols = count;
    return panel;
}

struct panel panel_below(struct panel panel, size_t rows)
{
    panel.a += rows;
    panel.rows -= rows;
    return panel;
}

void panel_exchange(struct panel factored, struct panel other)
{
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, (int)other.cols, other.a, (int)other.ld, 1,
                        (int)smaller(factored.rows, factored.cols), factored.pivots, 1);
}

void panel_solve(struct panel factored, struct panel right)
{
    solve_left_lower_unit(factored.cols, right.cols, factored.a, factored.ld, right.a, right.ld);
}

void panel_update(struct panel left, struct panel right, size_t row, size_t count)
{
    subtract_product(smaller(count, right.rows - row), right.cols, left.cols, left.a + row, left.ld,
                     right.a, right.ld, 0, right.a + row, right.ld);
}

void panel_shift_pivots(struct panel panel, size_t rows)
{
    for (size_t i = 0; i < smaller(panel.rows, panel.cols); i++)
        panel.pivots[i] += (int)rows;
}

/* Recursive halving of the columns (Toledo, "Locality of reference in LU decomposition with partial
 * pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997), to halves that are multiples of a leaf's. */
static size_t factor_halves(struct panel panel)
{
    if (panel.cols <= PANEL_LEAF_COLUMNS)
        return avx512_panel_leaf(panel.rows, panel.cols, panel.a, panel.ld, panel.pivots);
    size_t leaves = (panel.cols + PANEL_LEAF_COLUMNS - 1) / PANEL_LEAF_COLUMNS;
    size_t half = (leaves + 1) / 2 * PANEL_LEAF_COLUMNS;
    struct panel left = panel_columns(panel, 0, half);
    struct panel right = panel_columns(panel, half, panel.cols - half);
    struct panel below = panel_below(right, half);
    size_t bad = factor_halves(left);
    panel_exchange(left, right);
    panel_solve(left, right);
    panel_update(left, right, half, right.rows);
    size_t bad_below = factor_halves(below);
    panel_exchange(below, panel_below(left, half));
    panel_shift_pivots(below, half);
    if (bad == 0 && bad_below > 0)
        bad = half + bad_below;
    return bad;
}

size_t panel_factor(struct panel panel)
{
    if (panel.cols <= panel.rows && avx512_usable())
        return factor_halves(panel);
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)panel.rows, (int)panel.cols, panel.a,
                                   (int)panel.ld, panel.pivots);
    return info > 0 ? (size_t)info : 0;
}
