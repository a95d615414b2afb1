/* SPDX-License-Identifier: BSD-3-Clause
 * Right-looking in blocks of columns, as LAPACK's dgetrf is. Each place keeps the winners' rows, from which it computes the
 * first rows of the panel itself: no further message is needed at the end of a block. */
#include "kernels/spread_panel.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/sizes.h"
#include "kernels/dense/panel.h"
#include "kernels/dense/product.h"
#include "kernels/dense/triangular_solve.h"
#include "kernels/flops.h"
#include "kernels/tile_column.h"

enum { VALUE, ROW, CONTENTS }; /* of a candidate, and of a winner */
enum { BLOCK_COLUMNS = 16 };

/* A place divides a column of m rows, and updates the n - 1 others with k. As LAPACK's, the division is counted as one by
 * the pivot and m products. */
static double flops_column(struct call_sizes s)
{
    double k = s.k, n = s.n - 1;
    return 1 + s.m + 2 * s.m * n * k + n * k * (k - 1);
}

static double bytes_column(struct call_sizes s)
{
    return matrix_bytes(s.m + 1, s.k) + matrix_bytes(s.k, s.n - 1) + matrix_bytes(s.m, s.n - 1);
}

const struct kernel about_panel_search = {.name = "panel_search",
                                          .count = "0",
                                          .source = "comparisons are not counted",
                                          .growth = GROWS_WITH_BYTES,
                                          .bytes = bytes_of_matrix};

const struct kernel about_panel_pivot = {.name = "panel_pivot",
                                         .count = "0",
                                         .source = "it moves data only",
                                         .growth = GROWS_WITH_BYTES,
                                         .bytes = bytes_of_copy};

const struct kernel about_panel_column = {.name = "panel_column",
                                          .count = "1 + m + (n - 1) (2 m k + k (k - 1))",
                                          .source = LAWN_41,
                                          .growth = GROWS_WITH_FLOPS,
                                          .flops = flops_column,
                                          .bytes = bytes_column};

size_t panel_candidate_doubles(size_t columns)
{
    return CONTENTS + columns;
}

size_t panel_winner_doubles(size_t columns)
{
    return CONTENTS + 2 * columns;
}

static size_t doubles(size_t columns, size_t others)
{
    size_t each = panel_candidate_doubles(columns) + panel_winner_doubles(columns) +
                  tile_leading_dimension(columns);
    return saturating_add(saturating_multiply(columns, each),
                          saturating_multiply(others, panel_candidate_doubles(columns)));
}

size_t panel_rows_bytes(size_t columns, size_t others)
{
    return saturating_multiply(doubles(columns, others), sizeof(double));
}

int panel_rows_create(struct panel_rows *rows, size_t columns, size_t others)
{
    *rows = (struct panel_rows){.columns = columns, .others = others};
    double *memory = calloc(doubles(columns, others), sizeof *memory);
    if (!memory)
        return -1;
    panel_rows_place(rows, memory);
    return 0;
}

void panel_rows_place(struct panel_rows *rows, double *memory)
{
    size_t columns = rows->columns, ld = tile_leading_dimension(columns);
    rows->memory = memory;
    rows->top = tile_view(rows->memory, columns, columns, ld);
    rows->candidates = rows->memory + columns * ld;
    rows->winners = rows->candidates + columns * panel_candidate_doubles(columns);
    rows->received = rows->winners + columns * panel_winner_doubles(columns);
}

void panel_rows_destroy(struct panel_rows *rows)
{
    free(rows->memory);
    *rows = (struct panel_rows){0};
}

double *panel_candidate(const struct panel_rows *rows, size_t column)
{
    return rows->candidates + column * panel_candidate_doubles(rows->columns);
}

double *panel_winner(const struct panel_rows *rows, size_t column)
{
    return rows->winners + column * panel_winner_doubles(rows->columns);
}

double *panel_received(const struct panel_rows *rows, size_t other)
{
    return rows->received + other * panel_candidate_doubles(rows->columns);
}

bool panel_rows_locate(const struct panel_rows *rows, const void *object, size_t *column)
{
    const double *a = object;
    for (size_t c = 0; c < rows->columns; c++)
        if (a == panel_candidate(rows, c) || a == panel_winner(rows, c) || a == rows->top.a + c) {
            *column = c;
            return true;
        }
    return false;
}

size_t panel_pivot_count(const struct tile_matrix *A, size_t k)
{
    return smaller(tile_cols(A, k), A->m - k * A->nb);
}

/* The row of the matrix at which the part of a tile begins that the step works on. */
static size_t first_row(struct spread_panel p, size_t i)
{
    return larger(i * p.A->mb, p.k * p.A->nb);
}

/* The rows of a tile from a row of the panel on. */
static struct tile from_row(struct spread_panel p, size_t i, size_t row)
{
    struct tile t = column_tile(p.A, p.k, i, p.k);
    size_t begin = first_row(p, i) - p.k * p.A->nb;
    size_t skipped = row > begin ? smaller(row - begin, t.rows) : 0;
    return tile_part(t, skipped, t.rows - skipped);
}

static bool has_top(struct spread_panel p)
{
    return p.first == tile_top(p.A, p.k);
}

/* A row of the matrix, if it is here: its element of the panel's first column. */
static double *row_here(struct spread_panel p, size_t row, size_t *ld)
{
    size_t i = row / p.A->mb;
    if (i < p.first || (i - p.first) % p.stride != 0)
        return NULL;
    struct tile t = column_tile(p.A, p.k, i, p.k);
    *ld = t.ld;
    return t.a + (row - first_row(p, i));
}

static void load_row(struct spread_panel p, size_t row, double *contents)
{
    size_t ld = 0;
    const double *a = row_here(p, row, &ld);
    for (size_t j = 0; j < tile_cols(p.A, p.k); j++)
        contents[j] = a[j * ld];
}

static void store_row_if_here(struct spread_panel p, size_t row, const double *contents)
{
    size_t ld = 0;
    double *a = row_here(p, row, &ld);
    for (size_t j = 0; a && j < tile_cols(p.A, p.k); j++)
        a[j * ld] = contents[j];
}

/* Rows of the panel here, from one on. */
static size_t rows_here(struct spread_panel p, size_t row)
{
    size_t count = 0;
    for (size_t i = p.first; i < p.A->mt; i += p.stride)
        count += from_row(p, i, row).rows;
    return count;
}

/* Begins a call that names one of the panel's rows, and reads or writes the tiles here. */
static bool enter(struct execution *x, const struct kernel *kernel, struct spread_panel p,
                  struct call_sizes sizes, enum access_mode tiles, const struct access *others,
                  size_t count)
{
    struct call call = {kernel, p.k, sizes};
    if (x->observer)
        column_show(x->observer, call,
                    (struct column){.A = p.A,
                                    .k = p.k,
                                    .j = p.k,
                                    .mode = tiles,
                                    .others = others,
                                    .other_count = count,
                                    .named_by_other = true});
    return execution_begin(x, call, others[count - 1].object);
}

/* A column in which an element is no number has no largest one. */
static double largest(struct tile column, size_t *row)
{
    if (panel_first_bad_column((struct panel){.A = column}) > 0)
        return NAN;
    *row = cblas_idamax((int)column.rows, column.a, 1);
    return column.a[*row];
}

static bool is_better(const double *candidate, double value, double row)
{
    double own = fabs(candidate[VALUE]), other = fabs(value);
    return isnan(value) || other > own || (other == own && row < candidate[ROW]);
}

static void search(struct spread_panel p, size_t column, double *candidate)
{
    candidate[VALUE] = 0;
    candidate[ROW] = (double)p.A->m;
    for (size_t i = p.first; i < p.A->mt && !isnan(candidate[VALUE]); i += p.stride) {
        struct tile t = from_row(p, i, column);
        size_t row = 0;
        if (t.rows == 0)
            continue;
        double value = largest(tile_submatrix(t, 0, column, t.rows, 1), &row);
        double place = (double)(larger(first_row(p, i), p.k * p.A->nb + column) + row);
        if (is_better(candidate, value, place)) {
            candidate[VALUE] = value;
            candidate[ROW] = place;
        }
    }
    if (candidate[ROW] < (double)p.A->m)
        load_row(p, (size_t)candidate[ROW], candidate + CONTENTS);
}

void kernel_panel_search(struct execution *x, struct spread_panel p, size_t column)
{
    double *candidate = panel_candidate(p.rows, column);
    const struct access others[] = {{candidate, ACCESS_WRITE}};
    struct call_sizes sizes = sizes_mnk(rows_here(p, column), 1, 1);
    if (!enter(x, &about_panel_search, p, sizes, ACCESS_READ, others, 1))
        return;
    search(p, column, candidate);
    execution_leave(x);
}

static const double *best_candidate(struct spread_panel p, size_t column)
{
    const double *best = panel_candidate(p.rows, column);
    for (size_t o = 0; o < p.others && !isnan(best[VALUE]); o++) {
        const double *other = panel_received(p.rows, o);
        if (is_better(best, other[VALUE], other[ROW]))
            best = other;
    }
    return best;
}

static bool is_pivot(double value)
{
    return isfinite(value) && value != 0;
}

void kernel_panel_pivot(struct execution *x, struct spread_panel p, size_t column)
{
    double *winner = panel_winner(p.rows, column);
    size_t width = tile_cols(p.A, p.k), top = p.k * p.A->nb + column;
    const struct access others[] = {{panel_candidate(p.rows, column), ACCESS_READ},
                                    {winner, ACCESS_WRITE}};
    if (!enter(x, &about_panel_pivot, p, sizes_mnk(1, width, 1), ACCESS_READ, others, 2))
        return;
    const double *best = best_candidate(p, column);
    memcpy(winner, best, panel_candidate_doubles(width) * sizeof *winner);
    load_row(p, top, winner + CONTENTS + width);
    if (!is_pivot(best[VALUE]))
        execution_fail(x, top + 1);
    execution_leave(x);
}

size_t panel_winner_row(struct spread_panel p, size_t column)
{
    double row = panel_winner(p.rows, column)[ROW];
    return row >= 0 && row < (double)p.A->m ? (size_t)row : p.A->m;
}

void panel_void_winner(struct spread_panel p, size_t column)
{
    double *winner = panel_winner(p.rows, column);
    winner[VALUE] = 0;
    winner[ROW] = (double)(p.k * p.A->nb + column);
}

static void exchange(struct spread_panel p, size_t column, const double *winner)
{
    size_t top = p.k * p.A->nb + column, row = (size_t)winner[ROW];
    if (row == top)
        return;
    store_row_if_here(p, row, winner + CONTENTS + tile_cols(p.A, p.k));
    store_row_if_here(p, top, winner + CONTENTS);
}

static void keep_row(struct spread_panel p, size_t column, const double *winner)
{
    struct tile top = p.rows->top;
    for (size_t j = 0; j < tile_cols(p.A, p.k); j++)
        top.a[column + j * top.ld] = winner[CONTENTS + j];
}

/* A := A - a rowᵀ, a the column left of A */
static void subtract_outer_product(struct tile A, const double *a, const double *row, size_t ld)
{
    for (size_t j = 0; j < A.cols; j++) {
        double *restrict to = A.a + j * A.ld;
        double factor = row[j * ld];
        for (size_t i = 0; i < A.rows; i++)
            to[i] -= a[i] * factor;
    }
}

/* A reciprocal of the pivot may not be finite. */
static void divide(double *a, size_t count, double pivot)
{
    for (size_t i = 0; i < count; i++)
        a[i] /= pivot;
}

/* Columns of the panel that belong together: first to `end`, which the update of column `column` reaches. */
struct block {
    size_t first, end;
};

static struct block block_of(struct spread_panel p, size_t column)
{
    size_t first = column / BLOCK_COLUMNS * BLOCK_COLUMNS;
    return (struct block){first, smaller(first + BLOCK_COLUMNS, panel_pivot_count(p.A, p.k))};
}

static bool is_last_of(struct block block, size_t column)
{
    return column + 1 == block.end;
}

/* The first rows of the panel right of the block, in the rows that are kept and, if they are here, in their tile. */
static struct tile solve(struct spread_panel p, struct block block)
{
    size_t width = tile_cols(p.A, p.k), count = block.end - block.first;
    struct tile L = tile_submatrix(p.rows->top, block.first, block.first, count, count);
    struct tile U = tile_submatrix(p.rows->top, block.first, block.end, count, width - block.end);
    solve_left_unit_lower(L, U);
    if (has_top(p))
        tile_copy(U, tile_submatrix(column_tile(p.A, p.k, p.first, p.k), block.first, block.end,
                                    count, U.cols));
    return U;
}

static void finish_block(struct spread_panel p, struct block block)
{
    size_t width = tile_cols(p.A, p.k);
    if (block.end == width)
        return;
    struct tile U = solve(p, block);
    for (size_t i = p.first; i < p.A->mt; i += p.stride) {
        struct tile t = from_row(p, i, block.end);
        if (t.rows > 0)
            subtract_product(tile_submatrix(t, 0, block.first, t.rows, U.rows), NO_TRANSPOSE, U,
                             tile_submatrix(t, 0, block.end, t.rows, U.cols));
    }
}

static void update(struct spread_panel p, size_t column, struct block block, double pivot)
{
    const struct tile top = p.rows->top;
    const double *right = top.a + column + (column + 1) * top.ld;
    for (size_t i = p.first; i < p.A->mt; i += p.stride) {
        struct tile t = from_row(p, i, column + 1);
        double *a = t.a + column * t.ld;
        divide(a, t.rows, pivot);
        subtract_outer_product(tile_submatrix(t, 0, column + 1, t.rows, block.end - column - 1), a,
                               right, top.ld);
    }
    if (is_last_of(block, column))
        finish_block(p, block);
}

static struct call_sizes sizes_of_column(struct spread_panel p, size_t column, struct block block)
{
    size_t rows = rows_here(p, column + 1);
    return is_last_of(block, column)
               ? sizes_mnk(rows, 1 + tile_cols(p.A, p.k) - block.end, block.end - block.first)
               : sizes_mnk(rows, block.end - column, 1);
}

void kernel_panel_column(struct execution *x, struct spread_panel p, size_t column, int *pivots)
{
    const double *winner = panel_winner(p.rows, column);
    struct block block = block_of(p, column);
    size_t top = p.k * p.A->nb + column;
    const struct access others[] = {{winner, ACCESS_READ},
                                    {&pivots[p.k * p.A->nb], ACCESS_WRITE},
                                    {p.rows->top.a + column, ACCESS_WRITE}};
    if (!enter(x, &about_panel_column, p, sizes_of_column(p, column, block), ACCESS_WRITE, others,
               3))
        return;
    if (!is_pivot(winner[VALUE])) {
        execution_fail(x, top + 1);
    } else {
        exchange(p, column, winner);
        keep_row(p, column, winner);
        update(p, column, block, winner[VALUE]);
        if (has_top(p))
            pivots[top] = (int)winner[ROW] + 1;
    }
    execution_leave(x);
}
