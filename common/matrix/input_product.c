/* SPDX-License-Identifier: BSD-3-Clause
 * Threads generate columns block by block; each adds to vectors of its own, which are summed at the
 * end. No reduction and no dynamic schedule: older runtimes lack entry points for them. */
#include "common/matrix/input_product.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/base/sizes.h"

/* Rows and columns that are generated at once: 128 KiB, which fit into the second-level cache. */
enum { BLOCK_ROWS = 256, BLOCK_COLS = 64 };

/* The sums of one thread. */
struct share {
    double *Y;     /* m × p, without padding; NULL: no memory */
    double *block; /* BLOCK_ROWS × BLOCK_COLS */
    double squares;
};

/* y := y + a x for all p columns of X and Y; returns ‖a‖². */
static double add_column(const double *a, size_t rows, const double *x, size_t ldx, double *y,
                         size_t ldy, size_t p)
{
    double squares = 0.0;
    for (size_t i = 0; i < rows; i++)
        squares += a[i] * a[i];
    for (size_t c = 0; c < p; c++)
        for (size_t i = 0; i < rows; i++)
            y[i + c * ldy] += a[i] * x[c * ldx];
    return squares;
}

/* y := y + aᵀ x for all p columns: the mirror image of a column below the diagonal. */
static void add_row(const double *a, size_t rows, const double *x, size_t ldx, double *y,
                    size_t ldy, size_t p)
{
    for (size_t c = 0; c < p; c++) {
        double sum = 0.0;
        for (size_t i = 0; i < rows; i++)
            sum += a[i] * x[i + c * ldx];
        y[c * ldy] += sum;
    }
}

/* Column j of the block that begins at row `row`; of a symmetric matrix only from the diagonal down. */
static void add_block_column(struct share *share, const struct input *input, bool symmetric,
                             const double *a, size_t row, size_t rows, size_t j, struct tile X)
{
    size_t m = input->m, first = symmetric && row < j ? j - row : 0;
    if (first >= rows)
        return;
    double squares =
        add_column(a + first, rows - first, X.a + j, X.ld, share->Y + row + first, m, X.cols);
    share->squares += squares;
    if (!symmetric)
        return;
    double diagonal = row + first == j ? a[first] : 0.0;
    share->squares += squares - diagonal * diagonal;
    size_t below = row + first == j ? first + 1 : first;
    add_row(a + below, rows - below, X.a + row + below, X.ld, share->Y + j, m, X.cols);
}

static void add_columns(struct share *share, const struct input *input, bool symmetric,
                        size_t first, struct tile X)
{
    size_t cols = smaller(BLOCK_COLS, input->n - first);
    for (size_t row = symmetric ? first : 0; row < input->m; row += BLOCK_ROWS) {
        size_t rows = smaller(BLOCK_ROWS, input->m - row);
        struct tile t = {.a = share->block, .rows = rows, .cols = cols, .ld = BLOCK_ROWS};
        input_tile(input, row, first, t);
        for (size_t j = 0; j < cols; j++)
            add_block_column(share, input, symmetric, t.a + j * t.ld, row, rows, first + j, X);
    }
}

static struct share create_share(size_t m, size_t p)
{
    return (struct share){.Y = calloc(m * p, sizeof(double)),
                          .block = malloc(sizeof(double) * BLOCK_ROWS * BLOCK_COLS)};
}

/* Long and short columns of a triangle alternate, so that equal numbers of them are equal work. */
static size_t folded(size_t index, size_t count)
{
    return index % 2 == 0 ? index / 2 : count - 1 - index / 2;
}

static void add_all_columns(struct share *shares, const struct input *input, bool symmetric,
                            struct tile X, size_t threads)
{
    size_t count = ceiling(input->n, BLOCK_COLS);
#pragma omp parallel for schedule(static) num_threads((int)threads)
    for (size_t t = 0; t < threads; t++) {
        struct share *share = &shares[t];
        *share = create_share(input->m, X.cols);
        for (size_t b = t; share->Y && share->block && b < count; b += threads)
            add_columns(share, input, symmetric, folded(b, count) * BLOCK_COLS, X);
    }
}

static bool sum_up(const struct share *shares, size_t threads, struct tile Y, double *norm)
{
    double squares = 0.0;
    bool complete = true;
    tile_clear(Y);
    for (size_t t = 0; t < threads; t++) {
        complete = complete && shares[t].Y && shares[t].block;
        squares += shares[t].squares;
        for (size_t j = 0; complete && j < Y.cols; j++)
            for (size_t i = 0; i < Y.rows; i++)
                Y.a[i + j * Y.ld] += shares[t].Y[i + j * Y.rows];
    }
    *norm = sqrt(squares);
    return complete;
}

bool input_multiply(const struct input *input, bool symmetric, struct tile X, struct tile Y,
                    size_t threads, double *norm)
{
    struct share *shares = calloc(threads, sizeof *shares);
    if (!shares)
        return false;
    add_all_columns(shares, input, symmetric, X, threads);
    bool complete = sum_up(shares, threads, Y, norm);
    for (size_t t = 0; t < threads; t++) {
        free(shares[t].Y);
        free(shares[t].block);
    }
    free(shares);
    return complete;
}

size_t input_multiply_bytes(size_t m, size_t p, size_t threads)
{
    size_t block = sizeof(double) * BLOCK_ROWS * BLOCK_COLS, vectors, bytes;
    if (__builtin_mul_overflow(m, p * sizeof(double), &vectors) ||
        __builtin_mul_overflow(vectors + block, threads, &bytes))
        return SIZE_MAX;
    return bytes;
}
