/* SPDX-License-Identifier: BSD-3-Clause
 * The columns of X are cut into blocks; threads take blocks, so that every product with the
 * factors runs on one thread. Schedules are static: code for dynamic ones may call entry points that
 * older runtimes lack. */
#include "common/verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double THRESHOLD = 30.0;

/* What the threads share while they verify. */
struct verifier {
    const struct benchmark *benchmark;
    struct problem *problem;
    bool identity;          /* X is the identity, else random signs */
    size_t block;           /* columns of X in one block */
    struct tile_matrix *AX; /* A times all probes; NULL for the identity */
    bool no_memory;
};

/* One column of tiles with A's row (or column) tiles. */
static struct tile_matrix *vectors(const struct problem *p, size_t rows, size_t cols)
{
    return tile_matrix_create(rows, cols, p->nb, cols, NULL);
}

/* X := columns first … of the identity or of the probes. */
static void fill_probes(const struct verifier *v, size_t first, struct tile_matrix *X)
{
    for (size_t t = 0; t < X->mt; t++) {
        struct tile block = tile_at(X, t, 0);
        for (size_t j = 0; j < block.cols; j++)
            for (size_t i = 0; i < block.rows; i++) {
                size_t row = t * X->mb + i;
                block.a[i + j * block.ld] =
                    v->identity ? (row == first + j ? 1.0 : 0.0)
                                : input_sign(v->problem->input.seed, row, first + j);
            }
    }
}

/* y := y + T x for one tile and all its columns of x; returns ‖T‖² (Frobenius). */
static double add_tile_product(struct tile T, struct tile X, struct tile Y)
{
    double squares = 0.0;
    for (size_t j = 0; j < T.cols; j++) {
        const double *a = T.a + j * T.ld;
        for (size_t i = 0; i < T.rows; i++)
            squares += a[i] * a[i];
        for (size_t c = 0; c < Y.cols; c++) {
            double x = X.a[j + c * X.ld];
            double *y = Y.a + c * Y.ld;
            for (size_t i = 0; i < T.rows; i++)
                y[i] += a[i] * x;
        }
    }
    return squares;
}

/* Y := Y + A X and the returned ‖A‖², generating A tile by tile. */
static double multiply_input(struct verifier *v, const struct tile_matrix *X, struct tile_matrix *Y)
{
    const struct tile_matrix *A = v->problem->A;
    double squares = 0.0;
#pragma omp parallel num_threads((int)v->problem->threads)
    {
        double own = 0.0; /* not a reduction: XKOMP has no entry points for one */
        struct tile_matrix *scratch = tile_matrix_create(A->mb, A->nb, A->mb, A->nb, NULL);
        if (!scratch) {
#pragma omp atomic write
            v->no_memory = true;
        }
#pragma omp for schedule(static)
        for (size_t i = 0; i < A->mt; i++)
            for (size_t j = 0; scratch && j < A->nt; j++) {
                struct tile T = {tile_address(scratch, 0, 0), tile_rows(A, i), tile_cols(A, j),
                                 tile_leading_dimension(A->mb)};
                input_tile(&v->problem->input, i * A->mb, j * A->nb, T);
                own += add_tile_product(T, tile_at(X, j, 0), tile_at(Y, i, 0));
            }
#pragma omp atomic
        squares += own;
        tile_matrix_destroy(scratch);
    }
    return squares;
}

/* ‖reference - Y‖² where the reference is column `first` … of A X, or X itself. */
static double squared_difference(const struct tile_matrix *reference, size_t first,
                                 const struct tile_matrix *Y)
{
    double squares = 0.0;
    for (size_t t = 0; t < Y->mt; t++) {
        struct tile y = tile_at(Y, t, 0);
        struct tile r = tile_at(reference, t, 0);
        for (size_t j = 0; j < y.cols; j++)
            for (size_t i = 0; i < y.rows; i++) {
                double d = r.a[i + (first + j) * r.ld] - y.a[i + j * y.ld];
                squares += d * d;
            }
    }
    return squares;
}

/* ‖A(:, first …) - Y‖² */
static double squared_difference_to_input(const struct verifier *v, size_t first,
                                          struct tile_matrix *Y, struct tile_matrix *scratch)
{
    for (size_t t = 0; t < Y->mt; t++)
        input_tile(&v->problem->input, t * Y->mb, first, tile_at(scratch, t, 0));
    return squared_difference(scratch, 0, Y);
}

/* ‖E X‖² for one block of X. */
static double factor_error(struct verifier *v, size_t first, size_t cols)
{
    struct problem *p = v->problem;
    double squares = NAN;
    struct tile_matrix *X = vectors(p, p->n, cols);
    struct tile_matrix *Y = vectors(p, p->m, cols);
    struct tile_matrix *scratch = v->identity ? vectors(p, p->m, cols) : NULL;
    if (X && Y && (scratch || !v->identity)) {
        fill_probes(v, first, X);
        v->benchmark->multiply(p, X, Y);
        squares = v->identity ? squared_difference_to_input(v, first, Y, scratch)
                              : squared_difference(v->AX, first, Y);
    } else {
#pragma omp atomic write
        v->no_memory = true;
    }
    tile_matrix_destroy(X);
    tile_matrix_destroy(Y);
    tile_matrix_destroy(scratch);
    return squares;
}

/* ‖X - Qᵀ(Q X)‖² for one block of X. */
static double orthogonality_error(struct verifier *v, size_t first, size_t cols)
{
    struct problem *p = v->problem;
    double squares = NAN;
    struct tile_matrix *X = vectors(p, p->m, cols);
    struct tile_matrix *Y = vectors(p, p->m, cols);
    if (X && Y) {
        fill_probes(v, first, X);
        fill_probes(v, first, Y);
        v->benchmark->round_trip(p, Y);
        squares = squared_difference(X, 0, Y);
    } else {
#pragma omp atomic write
        v->no_memory = true;
    }
    tile_matrix_destroy(X);
    tile_matrix_destroy(Y);
    return squares;
}

/* The norm of the error over all `cols` columns of X: ‖E X‖, for random signs over √PROBES. */
static double error_norm(struct verifier *v, size_t cols,
                         double (*block_error)(struct verifier *, size_t, size_t))
{
    double squares = 0.0;
    size_t blocks = (cols - 1) / v->block + 1;
#pragma omp parallel for schedule(static) num_threads((int)v->problem->threads)
    for (size_t b = 0; b < blocks; b++) {
        size_t first = b * v->block;
        size_t count = cols - first < v->block ? cols - first : v->block;
        double error = block_error(v, first, count);
#pragma omp atomic
        squares += error;
    }
    return sqrt(v->identity ? squares : squares / (double)PROBES);
}

/* ‖A‖ (Frobenius); leaves A times all probes in v->AX. */
static double input_norm(struct verifier *v)
{
    struct problem *p = v->problem;
    size_t cols = v->identity ? 1 : PROBES;
    double squares = NAN;
    struct tile_matrix *X = vectors(p, p->n, cols);
    v->AX = vectors(p, p->m, cols);
    if (X && v->AX) {
        fill_probes(v, 0, X);
        squares = multiply_input(v, X, v->AX);
    } else {
        v->no_memory = true;
    }
    tile_matrix_destroy(X);
    return sqrt(squares);
}

static void add_residual(struct verification *result, const char *name, double error, double scale)
{
    double value = error > 0.0 || isnan(error) ? error / scale : 0.0;
    bool passed = isfinite(value) && value <= THRESHOLD;
    result->residuals[result->count++] = (struct residual){name, value, THRESHOLD, passed};
    result->passed = result->passed && passed;
}

static size_t ceiling_share(size_t cols, size_t threads)
{
    return (cols - 1) / threads + 1;
}

bool verify(const struct benchmark *benchmark, struct problem *problem, enum check check,
            struct verification *result)
{
    *result = (struct verification){.passed = true};
    if (check == CHECK_NONE)
        return true;
    bool full = check == CHECK_FULL;
    struct verifier v = {.benchmark = benchmark,
                         .problem = problem,
                         .identity = full,
                         .block = full ? problem->A->nb : ceiling_share(PROBES, problem->threads)};
    double longer = (double)(problem->m > problem->n ? problem->m : problem->n);
    double norm = input_norm(&v);
    double error = error_norm(&v, full ? problem->n : PROBES, factor_error);
    add_residual(result, benchmark->residual_name, error, longer * DBL_EPSILON * norm);
    if (benchmark->round_trip) {
        error = error_norm(&v, full ? problem->m : PROBES, orthogonality_error);
        add_residual(result, benchmark->orthogonality_name, error,
                     (double)problem->m * DBL_EPSILON);
    }
    tile_matrix_destroy(v.AX);
    return !v.no_memory;
}

const char *check_name(enum check check)
{
    static const char *const names[] = {
        [CHECK_NONE] = "none", [CHECK_FAST] = "fast", [CHECK_FULL] = "full"};
    return names[check];
}
