/* SPDX-License-Identifier: BSD-3-Clause
 * Packing costs O(rows nb) copies against O(rows nb²) operations of the factorization. */
#include "kernels/panel.h"

#include <lapacke.h>
#include <stdint.h>
#include <string.h>

#include "kernels/triangular.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

struct panel panel_view(const struct tile_matrix *A, size_t k, double *storage, int *pivots)
{
    return (struct panel){.a = storage,
                          .rows = A->m - k * A->mb,
                          .cols = tile_cols(A, k),
                          .ld = tile_leading_dimension(A->m - k * A->mb),
                          .pivots = pivots + k * A->nb};
}

void panel_load(const struct tile_matrix *A, size_t k, struct panel panel)
{
    for (size_t i = k; i < A->mt; i++) {
        struct tile t = tile_at(A, i, k);
        double *rows = panel.a + (i - k) * A->mb;
        for (size_t j = 0; j < t.cols; j++)
            memcpy(rows + j * panel.ld, t.a + j * t.ld, t.rows * sizeof(double));
    }
}

void panel_store(struct tile_matrix *A, size_t k, struct panel panel)
{
    for (size_t i = k; i < A->mt; i++) {
        struct tile t = tile_at(A, i, k);
        const double *rows = panel.a + (i - k) * A->mb;
        for (size_t j = 0; j < t.cols; j++)
            memcpy(t.a + j * t.ld, rows + j * panel.ld, t.rows * sizeof(double));
    }
    panel_shift_pivots(panel, k * A->nb);
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

size_t panel_factor(struct panel panel)
{
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)panel.rows, (int)panel.cols, panel.a,
                                   (int)panel.ld, panel.pivots);
    return info > 0 ? (size_t)info : 0;
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
