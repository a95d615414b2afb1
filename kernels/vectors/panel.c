/* SPDX-License-Identifier: BSD-3-Clause
 * Column by column, each updated by all columns before it in one pass that also scales the column
 * before it and finds the next pivot: a panel is too large for the first-level cache, and passes over it
 * are what costs. */
#include "kernels/vectors/panel.h"

#include <float.h>
#include <math.h>

#include "kernels/vectors/vectors.h"

/* The rows of the triangle on top, the head, are worked on one by one; the body below in vectors. */
enum { HEAD = PANEL_LEAF_COLUMNS };

/* The first of the largest elements by absolute value. */
struct largest {
    double value;
    size_t row;
};

/* The same of each lane; until there is one, a value below that of every struct largest. */
struct candidates {
    vector value;
    vector row; /* exact: rows are less than 2^53 */
};

/* Rows `row` … of column c: scales column c - 1, updates column c, and finds its pivot. */
INLINE void visit(size_t c, lane_mask used, struct tile A, double scale, size_t row,
                  struct candidates *best)
{
    double *a = A.a + row;
    const double *u = A.a + c * A.ld;
    vector x = v_load_lanes(used, a + c * A.ld);
#pragma GCC unroll 8
    for (size_t t = 0; t < c; t++) {
        vector l = v_load_lanes(used, a + t * A.ld);
        if (t + 1 == c) {
            l = v_multiply(l, v_all(scale));
            v_store_lanes(a + t * A.ld, used, l);
        }
        x = v_subtract_product(l, v_all(u[t]), x);
    }
    if (c > 0)
        v_store_lanes(a + c * A.ld, used, x);
    x = v_absolute(x);
    lane_mask more = v_greater(used, x, best->value);
    best->value = v_choose(best->value, more, x);
    best->row = v_choose(best->row, more, v_all((double)row));
}

/* Combines the candidates of the lanes with the largest of the rows above. */
static struct largest largest_of(struct largest above, struct candidates found)
{
    double value[LANES];
    double row[LANES];
    v_store(value, found.value);
    v_store(row, found.row);
    for (size_t lane = 0; lane < LANES; lane++) {
        size_t own = (size_t)row[lane] + lane;
        if (value[lane] > above.value || (value[lane] == above.value && own < above.row))
            above = (struct largest){value[lane], own};
    }
    return above;
}

INLINE struct largest visit_body(size_t c, struct tile A, double scale, struct largest above)
{
    struct candidates best = {v_all(-2.0), v_zero()};
    size_t row = HEAD;
    for (; row + LANES <= A.rows; row += LANES)
        visit(c, ALL_LANES, A, scale, row, &best);
    if (row < A.rows)
        visit(c, lanes(A.rows - row), A, scale, row, &best);
    return largest_of(above, best);
}

static struct largest update_body(size_t c, struct tile A, double scale, struct largest above)
{
    switch (c) {
    case 0:
        return visit_body(0, A, scale, above);
    case 1:
        return visit_body(1, A, scale, above);
    case 2:
        return visit_body(2, A, scale, above);
    case 3:
        return visit_body(3, A, scale, above);
    case 4:
        return visit_body(4, A, scale, above);
    case 5:
        return visit_body(5, A, scale, above);
    case 6:
        return visit_body(6, A, scale, above);
    default:
        return visit_body(7, A, scale, above);
    }
}

/* Updates column c in the head. */
static struct largest update_head(size_t c, struct tile A)
{
    struct largest best = {-1.0, c};
    double *a = A.a + c * A.ld;
    for (size_t i = 1; i < smaller(A.rows, HEAD); i++) {
        double x = a[i];
        for (size_t t = 0; t < smaller(i, c); t++)
            x -= A.a[i + t * A.ld] * a[t];
        a[i] = x;
    }
    for (size_t i = c; i < smaller(A.rows, HEAD); i++)
        if (fabs(a[i]) > best.value)
            best = (struct largest){fabs(a[i]), i};
    return best;
}

static void swap_rows(struct tile A, size_t first, size_t second)
{
    for (size_t j = 0; j < A.cols; j++) {
        double *a = A.a + j * A.ld, value = a[first];
        a[first] = a[second];
        a[second] = value;
    }
}

/* Divides column c by its pivot in the head, or all of it where the pivot's reciprocal may be infinite.
 * @return the factor by which the body must still be multiplied */
static double divide_head(size_t c, struct tile A)
{
    double *a = A.a + c * A.ld, pivot = a[c];
    if (pivot != 0.0 && fabs(pivot) < DBL_MIN) {
        for (size_t i = c + 1; i < A.rows; i++)
            a[i] /= pivot;
        return 1.0;
    }
    double scale = pivot == 0.0 ? 1.0 : 1.0 / pivot;
    for (size_t i = c + 1; i < smaller(A.rows, HEAD); i++)
        a[i] *= scale;
    return scale;
}

void ISA(panel_leaf)(const struct tile *panel, int *pivots)
{
    const struct tile A = *panel;
    double scale = 1.0;
    for (size_t c = 0; c < A.cols; c++) {
        struct largest best = update_body(c, A, scale, update_head(c, A));
        pivots[c] = (int)best.row + 1;
        swap_rows(A, c, best.row);
        scale = divide_head(c, A);
    }
    double *last = A.a + (A.cols - 1) * A.ld;
    for (size_t i = HEAD; i < A.rows; i++)
        last[i] *= scale;
}
