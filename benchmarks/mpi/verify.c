/* SPDX-License-Identifier: BSD-3-Clause
 * The input is generated again, tile by tile, on the rank on which the tile lives. */
#include <float.h>
#include <math.h>
#include <mpi.h>

#include "benchmarks/mpi/products.h"
#include "common/matrix/input.h"

/* What a verification works with: probes, their products with the input and with the factors, and one tile. */
struct workspace {
    struct tile_matrix *X, *AX, *Y, *tile;
};

/* A column-major matrix: one tile. */
static struct tile_matrix *matrix(size_t rows, size_t cols)
{
    return tile_matrix_create(rows, cols, rows, cols, NULL);
}

static struct tile all_of(const struct tile_matrix *X)
{
    return tile_at(X, 0, 0);
}

static bool create(struct workspace *w, const struct problem *p, size_t cols)
{
    *w = (struct workspace){matrix(p->n, cols), matrix(p->n, cols), matrix(p->n, cols),
                            matrix(p->A->mb, p->A->nb)};
    int complete = w->X && w->AX && w->Y && w->tile, all;
    MPI_Allreduce(&complete, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

static void destroy(struct workspace *w)
{
    tile_matrix_destroy(w->X);
    tile_matrix_destroy(w->AX);
    tile_matrix_destroy(w->Y);
    tile_matrix_destroy(w->tile);
}

/* Columns first … of the identity or of the probes. */
static void fill(const struct problem *p, bool identity, size_t first, struct tile X)
{
    for (size_t j = 0; j < X.cols; j++)
        for (size_t i = 0; i < X.rows; i++)
            X.a[i + j * X.ld] =
                identity ? (i == first + j ? 1.0 : 0.0) : input_sign(p->input.seed, i, first + j);
}

static double squares_of(struct tile T)
{
    double squares = 0.0;
    for (size_t j = 0; j < T.cols; j++)
        for (size_t i = 0; i < T.rows; i++)
            squares += T.a[i + j * T.ld] * T.a[i + j * T.ld];
    return squares;
}

/* AX := A X. @return ‖A‖ (Frobenius) */
static double multiply_input(const struct problem *p, struct workspace *w)
{
    const struct tile_matrix *A = p->A;
    bool lower = p->spread->about->lower;
    double squares = 0.0, all;
    struct tile X = all_of(w->X), Y = all_of(w->AX);
    clear_tile(Y);
    for (size_t j = first_column_here(0); j < A->nt; j += world()->columns)
        for (size_t i = first_row_here(lower ? j : 0); i < A->mt; i += world()->rows) {
            struct tile T = tile_submatrix(all_of(w->tile), 0, 0, tile_rows(A, i), tile_cols(A, j));
            input_tile(&p->input, i * A->mb, j * A->nb, T);
            add_tile_product(T, false, i * A->mb, j * A->nb, X, Y);
            if (lower && i != j)
                add_tile_product(T, true, i * A->mb, j * A->nb, X, Y);
            squares += (lower && i != j ? 2.0 : 1.0) * squares_of(T);
        }
    spread_sum(Y);
    MPI_Allreduce(&squares, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all);
}

static double squared_difference(struct tile X, struct tile Y)
{
    double squares = 0.0;
    for (size_t j = 0; j < Y.cols; j++)
        for (size_t i = 0; i < Y.rows; i++) {
            double d = X.a[i + j * X.ld] - Y.a[i + j * Y.ld];
            squares += d * d;
        }
    return squares;
}

/* ‖E X‖² for columns first … of X. */
static double factor_error(struct problem *p, struct workspace *w, bool identity, size_t first,
                           double *norm)
{
    fill(p, identity, first, all_of(w->X));
    *norm = multiply_input(p, w);
    p->spread->about->multiply(p, all_of(w->X), all_of(w->Y));
    return squared_difference(all_of(w->AX), all_of(w->Y));
}

/* ‖X - Qᵀ(Q X)‖² for these columns; the norm is that of the identity. */
static double orthogonality_error(struct problem *p, struct workspace *w, bool identity,
                                  size_t first, double *norm)
{
    fill(p, identity, first, all_of(w->X));
    fill(p, identity, first, all_of(w->Y));
    *norm = 1.0;
    p->spread->about->round_trip(p, all_of(w->Y));
    return squared_difference(all_of(w->X), all_of(w->Y));
}

/* Adds a residual over all columns of X. @return false if out of memory */
static bool add_residual(struct problem *p, bool full, const char *name,
                         double (*block_error)(struct problem *, struct workspace *, bool, size_t,
                                               double *),
                         struct verification *result)
{
    size_t cols = full ? p->n : PROBES, block = full ? p->A->nb : PROBES;
    double squares = 0.0, norm = NAN;
    struct workspace w;
    bool complete = create(&w, p, block);
    for (size_t first = 0; complete && first < cols; first += block)
        squares += block_error(p, &w, full, first, &norm);
    destroy(&w);
    if (complete)
        verification_add_scaled(result, name, sqrt(full ? squares : squares / (double)PROBES),
                                (double)p->n * DBL_EPSILON * norm);
    return complete;
}

bool spread_verify(struct problem *p, enum check check, const char *name,
                   struct verification *result)
{
    bool full = check == CHECK_FULL;
    if (!add_residual(p, full, name, factor_error, result))
        return false;
    return !p->spread->about->round_trip ||
           add_residual(p, full, "I-QTQ", orthogonality_error, result);
}
