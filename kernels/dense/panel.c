/* SPDX-License-Identifier: BSD-3-Clause
 * Recursive halving down to leaves of our own code or of dgetrf, whichever core OpenBLAS' kernels are for. */
#include "kernels/dense/panel.h"

#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/base/bits.h"
#include "common/base/sizes.h"
#include "kernels/dense/choice.h"
#include "kernels/dense/openblas_core.h"
#include "kernels/dense/product.h"
#include "kernels/dense/triangular_solve.h"

/* A double is infinite or NaN when its exponent bits are all set. Tested on integers, so that the
 * compiler can vectorise it. */
static int column_is_finite(const double *a, size_t rows)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    uint64_t bad = 0;
    for (size_t i = 0; i < rows; i++)
        bad |= (uint64_t)((bits_of(a[i]) & exponent) == exponent);
    return !bad;
}

size_t panel_first_bad_column(struct panel panel)
{
    for (size_t j = 0; j < panel.A.cols; j++)
        if (!column_is_finite(panel.A.a + j * panel.A.ld, panel.A.rows))
            return j + 1;
    return 0;
}

struct panel panel_columns(struct panel panel, size_t first, size_t count)
{
    return (struct panel){tile_submatrix(panel.A, 0, first, panel.A.rows, count),
                          panel.pivots + first};
}

struct panel panel_below(struct panel panel, size_t rows)
{
    panel.A = tile_part(panel.A, rows, panel.A.rows - rows);
    return panel;
}

void panel_exchange(struct panel factored, struct panel other)
{
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, (int)other.A.cols, other.A.a, (int)other.A.ld, 1,
                        (int)smaller(factored.A.rows, factored.A.cols), factored.pivots, 1);
}

void panel_solve(struct panel factored, struct panel right)
{
    size_t n = factored.A.cols;
    solve_left_unit_lower(tile_part(factored.A, 0, n), tile_part(right.A, 0, n));
}

void panel_update(struct panel left, struct panel right, size_t row, size_t count)
{
    count = smaller(count, right.A.rows - row);
    subtract_product(tile_part(left.A, row, count), NO_TRANSPOSE,
                     tile_part(right.A, 0, left.A.cols), tile_part(right.A, row, count));
}

void panel_shift_pivots(struct panel panel, size_t rows)
{
    for (size_t i = 0; i < smaller(panel.A.rows, panel.A.cols); i++)
        panel.pivots[i] += (int)rows;
}

/* LAPACK's own routine. */
static void factor_whole(struct panel panel)
{
    struct tile A = panel.A;
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)A.rows, (int)A.cols, A.a, (int)A.ld,
                                   panel.pivots);
    if (info < 0) /* an argument of ours is wrong */
        abort();
}

static size_t leaf_columns(void)
{
    return own_code() ? PANEL_LEAF_COLUMNS : openblas_core()->panel;
}

/* LAPACK's info tells of zeros alone, and finite elements may have become infinite meanwhile. */
static size_t first_bad_pivot(struct panel panel)
{
    for (size_t k = 0; k < smaller(panel.A.rows, panel.A.cols); k++) {
        double pivot = panel.A.a[k + k * panel.A.ld];
        if (pivot == 0.0 || !isfinite(pivot))
            return k + 1;
    }
    return 0;
}

static size_t factor_leaf(struct panel panel)
{
    if (own_code())
        own_code()->panel_leaf(&panel.A, panel.pivots);
    else
        factor_whole(panel);
    return first_bad_pivot(panel);
}

/* Recursive halving of the columns (Toledo, "Locality of reference in LU decomposition with partial
 * pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997), to halves that are multiples of a leaf's. */
static size_t factor_halves(struct panel panel)
{
    size_t cols = panel.A.cols;
    if (cols <= leaf_columns())
        return factor_leaf(panel);
    size_t leaves = ceiling(cols, PANEL_LEAF_COLUMNS);
    size_t half = (leaves + 1) / 2 * PANEL_LEAF_COLUMNS;
    struct panel left = panel_columns(panel, 0, half);
    struct panel right = panel_columns(panel, half, cols - half);
    struct panel below = panel_below(right, half);
    size_t bad = factor_halves(left);
    if (bad > 0)
        return bad;
    panel_exchange(left, right);
    panel_solve(left, right);
    panel_update(left, right, half, right.A.rows);
    bad = factor_halves(below);
    if (bad > 0)
        return half + bad;
    panel_exchange(below, panel_below(left, half));
    panel_shift_pivots(below, half);
    return 0;
}

size_t panel_factor(struct panel panel)
{
    if (panel.A.cols <= panel.A.rows)
        return factor_halves(panel);
    factor_whole(panel);
    return first_bad_pivot(panel);
}
