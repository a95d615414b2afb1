/* SPDX-License-Identifier: BSD-3-Clause
 * laswp: the row exchanges of one panel, or of all panels from one on, applied to one tile column. */
#include <string.h>

#include "common/base/sizes.h"
#include "kernels/flops.h"
#include "kernels/kernels.h"
#include "kernels/tile_column.h"

/* Columns exchanged together: a row's elements then share the index arithmetic of one pivot, while
 * the touched cache lines stay few. Rows are prefetched AHEAD of their turn. The fastest of 8
 * and 16, and of 4 to 32 (docs/evaluation/performance.md). */
enum { STRIP = 16, AHEAD = 8 };

/* Elements of one row, ld apart. */
struct row {
    double *a;
    size_t ld;
};

/* Row i of the matrix from column `col` of tile column j on. */
static struct row matrix_row(const struct tile_matrix *A, size_t i, size_t j, size_t col)
{
    size_t ld = tile_leading_dimension(tile_rows(A, i / A->mb));
    return (struct row){tile_address(A, i / A->mb, j) + i % A->mb + col * ld, ld};
}

static void prefetch_row(struct row row, size_t cols)
{
    for (size_t j = 0; j < cols; j++)
        __builtin_prefetch(row.a + j * row.ld, 1, 2);
}

static void swap_rows(struct row first, struct row second, size_t cols)
{
    for (size_t j = 0; j < cols; j++) {
        double value = first.a[j * first.ld];
        first.a[j * first.ld] = second.a[j * second.ld];
        second.a[j * second.ld] = value;
    }
}

/* Exchanges row first + i with row pivots[i] - 1 in some columns of a tile column. */
static void exchange_strip(const struct tile_matrix *A, size_t first, size_t count,
                           const int *pivots, size_t j, size_t col, size_t cols)
{
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch_row(matrix_row(A, (size_t)pivots[i + AHEAD] - 1, j, col), cols);
        size_t row = first + i, other = (size_t)pivots[i] - 1;
        if (other != row)
            swap_rows(matrix_row(A, row, j, col), matrix_row(A, other, j, col), cols);
    }
}

static void exchange_rows(const struct tile_matrix *A, size_t k, size_t j, const int *pivots)
{
    size_t first = k * A->nb, cols = tile_cols(A, j);
    size_t count = smaller(A->nb, smaller(A->m, A->n) - first);
    for (size_t col = 0; col < cols; col += STRIP)
        exchange_strip(A, first, count, pivots + first, j, col, smaller(cols - col, STRIP));
}

const struct kernel about_laswp = {.name = "laswp",
                                   .operation = "laswp of one panel",
                                   .count = "0",
                                   .source = "it moves data only",
                                   .growth = GROWS_WITH_ROWS,
                                   .bytes = bytes_of_exchange};

const struct kernel about_laswp_from = {.name = "laswp",
                                        .operation = "laswp of all later panels",
                                        .count = "0",
                                        .source = "it moves data only",
                                        .growth = GROWS_WITH_BYTES,
                                        .bytes = bytes_of_copy};

static bool enter(struct execution *x, const struct kernel *kernel, size_t k, size_t steps,
                  const struct tile_matrix *A, size_t j, const int *pivots)
{
    struct column column = {
        .A = A, .k = k, .j = j, .mode = ACCESS_WRITE, .pivots = pivots, .pivot_steps = steps};
    return column_enter(x, kernel, column);
}

void kernel_laswp(struct execution *x, size_t k, struct tile_matrix *A, size_t j, const int *pivots)
{
    if (!enter(x, &about_laswp, k, 1, A, j, pivots))
        return;
    exchange_rows(A, k, j, pivots);
    execution_leave(x);
}

/* source[i]: the row that the exchanges of rows first … last - 1 bring to row i, both counted from row `first`. */
static void compose(const struct tile_matrix *A, size_t first, size_t last, const int *pivots,
                    int *source)
{
    for (size_t i = 0; i < A->m - first; i++)
        source[i] = (int)i;
    for (size_t row = first; row < last; row++) {
        size_t other = (size_t)pivots[row] - 1;
        int value = source[row - first];
        source[row - first] = source[other - first];
        source[other - first] = value;
    }
}

static void load(const struct tile_matrix *A, size_t k, size_t j, size_t col, double *rows)
{
    for (size_t i = tile_top(A, k); i < A->mt; i++) {
        struct tile t = column_tile(A, k, i, j);
        memcpy(rows, t.a + col * t.ld, t.rows * sizeof(double));
        rows += t.rows;
    }
}

static void store(struct tile_matrix *A, size_t k, size_t j, size_t col, const double *rows,
                  const int *source)
{
    for (size_t i = tile_top(A, k); i < A->mt; i++) {
        struct tile t = column_tile(A, k, i, j);
        double *to = t.a + col * t.ld;
        for (size_t r = 0; r < t.rows; r++)
            to[r] = rows[source[r]];
        source += t.rows;
    }
}

size_t kernel_laswp_workspace_doubles(size_t m)
{
    return m + (m + 1) / 2;
}

void kernel_laswp_from(struct execution *x, size_t k, struct tile_matrix *A, size_t j,
                       const int *pivots)
{
    if (!enter(x, &about_laswp_from, k, tile_steps(A) - k, A, j, pivots))
        return;
    double *rows = execution_worker(x)->workspace;
    int *source = (void *)(rows + A->m);
    compose(A, k * A->nb, smaller(A->m, A->n), pivots, source);
    for (size_t col = 0; col < tile_cols(A, j); col++) {
        load(A, k, j, col, rows);
        store(A, k, j, col, rows, source);
    }
    execution_leave(x);
}

/* A row below the step's is exchanged with the one of the step's that it takes: rows of the step are brought into order
 * at the end. Row s of the step is taken by one row at most, as a pivot's row is exchanged with one that no other pivot
 * has changed. */
static void exchange_part(const struct tile_matrix *A, size_t k, size_t j, const int *source,
                          size_t col, struct laswp_part part)
{
    size_t first = k * A->nb, cols = smaller(tile_cols(A, j) - col, STRIP);
    for (size_t i = part.first; i < A->mt; i += part.stride)
        for (size_t row = i * A->mb; row < i * A->mb + tile_rows(A, i); row++) {
            size_t other = first + (size_t)source[row - first];
            if (other != row)
                swap_rows(matrix_row(A, row, j, col), matrix_row(A, other, j, col), cols);
        }
}

/* Row r of the step is where exchange_part has left it: in its old place, or in that of the row that went below. */
static void order_step(const struct tile_matrix *A, size_t k, size_t j, const int *source,
                       double *rows)
{
    struct tile t = tile_at(A, k, j);
    for (size_t col = 0; col < t.cols; col++) {
        double *to = t.a + col * t.ld;
        memcpy(rows, to, t.rows * sizeof(double));
        for (size_t r = 0; r < t.rows; r++) {
            size_t from = (size_t)source[r];
            to[r] = rows[from < t.rows ? from : (size_t)source[from]];
        }
    }
}

/* Its rows are those of the step's tile and of its own. */
static struct call_sizes part_sizes(const struct tile_matrix *A, size_t k, size_t j,
                                    struct laswp_part part)
{
    struct call_sizes sizes = column_sizes(A, k, j);
    size_t rows = tile_rows(A, k);
    for (size_t i = part.first; i < A->mt; i += part.stride)
        rows += tile_rows(A, i);
    return sizes_mnk(rows, sizes.n, sizes.k);
}

/* No observer is told: parts are called by ranks, which describe no graph. */
static bool enter_part(struct execution *x, size_t k, const struct tile_matrix *A, size_t j,
                       struct laswp_part part)
{
    struct call call = {&about_laswp, k, part_sizes(A, k, j, part)};
    return execution_begin(x, call, tile_address(A, part.last ? k : part.first, j));
}

void kernel_laswp_part(struct execution *x, size_t k, struct tile_matrix *A, size_t j,
                       const int *pivots, struct laswp_part part)
{
    if (!enter_part(x, k, A, j, part))
        return;
    double *rows = execution_worker(x)->workspace;
    int *source = (void *)(rows + A->m);
    compose(A, k * A->nb, smaller((k + 1) * A->nb, smaller(A->m, A->n)), pivots, source);
    for (size_t col = 0; col < tile_cols(A, j); col += STRIP)
        exchange_part(A, k, j, source, col, part);
    if (part.last)
        order_step(A, k, j, source, rows);
    execution_leave(x);
}
