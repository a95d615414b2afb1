/* SPDX-License-Identifier: BSD-3-Clause
 * laswp: the row exchanges of one panel, applied to one tile column. */
#include "kernels/columns.h"
#include "kernels/kernels.h"

/* Columns exchanged together: a row's elements then share the index arithmetic of one pivot, while
 * the touched cache lines stay few. */
enum { STRIP = 8 };

static void swap_rows(double *first, size_t ld_first, double *second, size_t ld_second, size_t cols)
{
    for (size_t j = 0; j < cols; j++) {
        double value = first[j * ld_first];
        first[j * ld_first] = second[j * ld_second];
        second[j * ld_second] = value;
    }
}

static void exchange_rows(struct tile_matrix *A, size_t k, size_t j, const int *pivots)
{
    size_t first = k * A->nb;
    size_t end = first + A->nb < A->m ? first + A->nb : A->m;
    end = end < A->n ? end : A->n;
    struct tile top = tile_at(A, k, j);
    for (size_t col = 0; col < top.cols; col += STRIP) {
        size_t cols = top.cols - col < STRIP ? top.cols - col : STRIP;
        for (size_t row = first; row < end; row++) {
            size_t other = (size_t)pivots[row] - 1;
            if (other == row)
                continue;
            size_t i = other / A->mb;
            size_t ld = tile_leading_dimension(tile_rows(A, i));
            swap_rows(top.a + (row - first) + col * top.ld, top.ld,
                      tile_address(A, i, j) + other % A->mb + col * ld, ld, cols);
        }
    }
}

void kernel_laswp(struct execution *x, size_t k, struct tile_matrix *A, size_t j, const int *pivots)
{
    const struct access others[] = {{&pivots[k * A->nb], ACCESS_READ}};
    struct column column = {A, k, j, ACCESS_WRITE, others, 1};
    if (!column_enter(x, "laswp", column))
        return;
    exchange_rows(A, k, j, pivots);
    execution_leave(x);
}
