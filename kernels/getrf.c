/* SPDX-License-Identifier: BSD-3-Clause
 * getrf: a whole tile column factored at once, in place if it is in one tile, else packed. */
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "kernels/packed_panel.h"
#include "kernels/tile_column.h"

size_t kernel_getrf_panel_doubles(const struct tile_matrix *A)
{
    return tile_leading_dimension(A->m) * A->nb;
}

const struct kernel about_getrf = {.name = "getrf",
                                   .operation = "getrf of a column",
                                   .count = GETRF_COUNT,
                                   .source = LAWN_41,
                                   .growth = GROWS_WITH_ROWS,
                                   .flops = flops_of_getrf,
                                   .bytes = bytes_of_matrix};

void kernel_getrf(struct execution *x, size_t k, struct tile_matrix *A, int *pivots,
                  double *storage)
{
    const struct access others[] = {{&pivots[k * A->nb], ACCESS_WRITE}};
    struct column column = {
        .A = A, .k = k, .j = k, .mode = ACCESS_WRITE, .others = others, .other_count = 1};
    if (!column_enter(x, &about_getrf, column))
        return;
    struct panel panel;
    bool packed = !panel_in_place(A, k, pivots, &panel);
    if (packed) {
        panel = panel_view(A, k, storage, pivots);
        panel_load(A, k, panel);
    }
    size_t bad = panel_first_bad_column(panel);
    if (bad == 0) {
        bad = panel_factor(panel);
        if (packed)
            panel_store(A, k, panel);
        panel_shift_pivots(panel, k * A->nb);
    }
    if (bad > 0)
        execution_fail(x, k * A->nb + bad);
    execution_leave(x);
}
