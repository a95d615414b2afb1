/* SPDX-License-Identifier: BSD-3-Clause
 * The input is generated again, tile by tile, on the rank on which the tile lives. */
#include <float.h>
#include <math.h>
#include <mpi.h>

#include "benchmarks/mpi/products.h"
#include "common/base/sizes.h"
#include "common/matrix/input.h"
#include "common/run/probes.h"

/* What a verification works with: probes, their products with the input and with the factors, and one tile. */
struct workspace {
    struct tile_matrix *X, *AX, *Y, *tile;
};

static bool create(struct workspace *w, const struct problem *p, size_t cols)
{
    *w = (struct workspace){probes_create(p->n, cols), probes_create(p->n, cols),
                            probes_create(p->n, cols), probes_create(p->A->mb, p->A->nb)};
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

static void fill(const struct problem *p, bool identity, size_t first, struct tile X)
{
    probes_fill(p->input.seed, identity, first, X);
}

/* AX := A X. @return ‖A‖ (Frobenius) */
static double multiply_input(const struct problem *p, struct workspace *w)
{
    const struct tile_matrix *A = p->A;
    bool lower = p->spread->about->lower;
    double squares = 0.0, all;
    struct tile X = probes_all(w->X), Y = probes_all(w->AX);
    tile_clear(Y);
    for (size_t j = first_column_here(0); j < A->nt; j += world()->columns)
        for (size_t i = first_row_here(lower ? j : 0); i < A->mt; i += world()->rows) {
            struct tile T =
                tile_submatrix(probes_all(w->tile), 0, 0, tile_rows(A, i), tile_cols(A, j));
            input_tile(&p->input, i * A->mb, j * A->nb, T);
            add_tile_product(T, false, i * A->mb, j * A->nb, X, Y);
            if (lower && i != j)
                add_tile_product(T, true, i * A->mb, j * A->nb, X, Y);
            squares += (lower && i != j ? 2.0 : 1.0) * tile_squares(T);
        }
    spread_sum(Y);
    MPI_Allreduce(&squares, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all);
}

/* ‖E X‖² for columns first … of X. */
static double factor_error(struct problem *p, struct workspace *w, bool identity, size_t first,
                           double *norm)
{
    fill(p, identity, first, probes_all(w->X));
    *norm = multiply_input(p, w);
    p->spread->about->multiply(p, probes_all(w->X), probes_all(w->Y));
    return probes_squared_difference(probes_all(w->AX), 0, probes_all(w->Y));
}

/* ‖X - Qᵀ(Q X)‖² for these columns; the norm is that of the identity. */
static double orthogonality_error(struct problem *p, struct workspace *w, bool identity,
                                  size_t first, double *norm)
{
    fill(p, identity, first, probes_all(w->X));
    fill(p, identity, first, probes_all(w->Y));
    *norm = 1.0;
    p->spread->about->round_trip(p, probes_all(w->Y));
    return probes_squared_difference(probes_all(w->X), 0, probes_all(w->Y));
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

/* Probes, both products and their sum, and one tile. */
size_t spread_verify_bytes(const struct problem *p, enum check check)
{
    size_t nb = smaller(p->nb, p->n), columns = check == CHECK_FULL ? nb : PROBES;
    size_t doubles =
        saturating_add(saturating_multiply(4 * p->n, columns), saturating_multiply(nb, nb));
    return saturating_multiply(saturating_multiply(doubles, sizeof(double)), (size_t)world()->here);
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
