/* SPDX-License-Identifier: BSD-3-Clause
 * Packing costs O(rows nb) copies against O(rows nb²) operations of the factorization. */
#include "kernels/packed_panel.h"

#include "kernels/tile_column.h"

struct panel panel_view(const struct tile_matrix *A, size_t k, double *storage, int *pivots)
{
    size_t rows = A->m - k * A->nb;
    return (struct panel){tile_view(storage, rows, tile_cols(A, k), tile_leading_dimension(rows)),
                          pivots + k * A->nb};
}

bool panel_in_place(const struct tile_matrix *A, size_t k, int *pivots, struct panel *panel)
{
    if (tile_top(A, k) + 1 != A->mt)
        return false;
    *panel = (struct panel){tile_at_step(A, k, k), pivots + k * A->nb};
    return true;
}

void panel_load(const struct tile_matrix *A, size_t k, struct panel panel)
{
    size_t row = 0;
    for (size_t i = tile_top(A, k); i < A->mt; i++) {
        struct tile t = column_tile(A, k, i, k);
        tile_copy(t, tile_part(panel.A, row, t.rows));
        row += t.rows;
    }
}

void panel_store(struct tile_matrix *A, size_t k, struct panel panel)
{
    size_t row = 0;
    for (size_t i = tile_top(A, k); i < A->mt; i++) {
        struct tile t = column_tile(A, k, i, k);
        tile_copy(tile_part(panel.A, row, t.rows), t);
        row += t.rows;
    }
}
