/* SPDX-License-Identifier: BSD-3-Clause
 * The panel of LU `column`: recursive halving of its columns (Toledo, "Locality of reference in LU
 * decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997), the product of
 * each level cut into nested tasks by rows. Threads wait for each other only in a taskwait, so that
 * one thread is enough. */
#include "lu/panel_pieces.h"
#include "lu/variants.h"

/* Rows of the panel that one nested task updates: fixed, so that the result does not depend on the
 * number of threads. */
enum { ROWS_PER_TASK = 256, LEAF_COLUMNS = 32 };

static void update(struct problem *p, size_t k, struct panel left, struct panel right)
{
    piece_trsm(p, k, left, right);
    for (size_t row = left.A.cols; row < right.A.rows; row += ROWS_PER_TASK) {
        /* right(row:,:) -= left(row:,:) right(:left.cols,:), of ROWS_PER_TASK rows */
#pragma omp task firstprivate(p, k, left, right, row)
        piece_gemm(p, k, left, right, row, ROWS_PER_TASK);
    }
#pragma omp taskwait
}

static void factor(struct problem *p, size_t k, struct panel a)
{
    size_t rows = a.A.rows, cols = a.A.cols;
    if (cols <= LEAF_COLUMNS || rows <= LEAF_COLUMNS) {
        piece_getrf(p, k, a);
        return;
    }
    size_t half = (rows < cols ? rows : cols) / 2;
    struct panel left = panel_columns(a, 0, half);
    struct panel right = panel_columns(a, half, cols - half);
    factor(p, k, left);
    update(p, k, left, right);
    struct panel below = panel_below(right, half);
    factor(p, k, below);
    piece_swap(p, k, below, panel_below(left, half), half);
}

void lu_getrf_tasks(struct problem *p, size_t k)
{
    struct panel whole = piece_view(p, k);
    piece_load(p, k, whole);
    factor(p, k, whole);
    piece_store(p, k, whole);
}
