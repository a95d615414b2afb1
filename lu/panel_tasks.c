/* SPDX-License-Identifier: BSD-3-Clause
 * The panel of LU `column`: recursive halving of its columns (Toledo, "Locality of reference in LU
 * decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18(4), 1997), the product of
 * each level cut into nested tasks by rows. No thread waits for another but in a taskwait, so that
 * one thread is enough. */
#include "kernels/panel.h"
#include "lu/variants.h"

/* Rows of the panel that one nested task updates: fixed, so that the result does not depend on the
 * number of threads. */
enum { ROWS_PER_TASK = 256, LEAF_COLUMNS = 32 };

static void update(struct problem *p, struct panel left, struct panel right)
{
    struct execution *x = p->execution;
    panel_exchange(left, right);
    panel_solve(left, right);
    for (size_t row = left.cols; row < right.rows; row += ROWS_PER_TASK) {
#pragma omp task firstprivate(x, left, right, row)
        panel_update(x, left, right, row, ROWS_PER_TASK);
    }
#pragma omp taskwait
}

/* Returns the 1-based first zero pivot, or 0. */
static size_t factor(struct problem *p, struct panel a)
{
    if (a.cols <= LEAF_COLUMNS || a.rows <= LEAF_COLUMNS)
        return panel_factor(a);
    size_t half = (a.rows < a.cols ? a.rows : a.cols) / 2;
    struct panel left = panel_columns(a, 0, half);
    struct panel right = panel_columns(a, half, a.cols - half);
    size_t bad = factor(p, left);
    update(p, left, right);
    struct panel below = panel_below(right, half);
    size_t bad_below = factor(p, below);
    panel_exchange(below, panel_below(left, half));
    panel_shift_pivots(below, half);
    if (bad > 0)
        return bad;
    return bad_below > 0 ? bad_below + half : 0;
}

void lu_getrf_tasks(struct problem *p, size_t k)
{
    struct lu_factors *f = p->factors;
    if (!execution_begin(p->execution))
        return;
    struct panel a = panel_load(p->A, k, f->panel, f->pivots);
    size_t bad = panel_first_bad_column(a);
    if (bad == 0) {
        bad = factor(p, a);
        panel_store(p->A, k, a);
    }
    if (bad > 0)
        execution_fail(p->execution, k * p->A->nb + bad);
}
