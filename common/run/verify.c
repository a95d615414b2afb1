/* SPDX-License-Identifier: BSD-3-Clause
 * The columns of X are divided into blocks; threads take blocks, so that every product with the
 * factors runs on one thread. Schedules are static: code for dynamic ones may call entry points that
 * older runtimes lack. */
#include "common/run/verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/sizes.h"
#include "common/matrix/input_product.h"
#include "common/run/probes.h"

/* What the threads share while they verify. */
struct verifier {
    const struct benchmark *benchmark;
    struct problem *problem;
    bool identity;          /* X is the identity, else random signs */
    size_t block;           /* columns of X in one block */
    struct tile_matrix *AX; /* A times all probes; NULL for the identity */
    bool no_memory;
};

static void fill(const struct verifier *v, size_t first, struct tile X)
{
    probes_fill(v->problem->input.seed, v->identity, first, X);
}

/* ‖A(:, first …) - Y‖² */
static double squared_difference_to_input(const struct verifier *v, size_t first, struct tile Y,
                                          struct tile scratch)
{
    input_tile(&v->problem->input, 0, first, scratch);
    return probes_squared_difference(scratch, 0, Y);
}

/* ‖E X‖² for one block of X. */
static double factor_error(struct verifier *v, size_t first, size_t cols)
{
    struct problem *p = v->problem;
    double squares = NAN;
    struct tile_matrix *X = probes_create(p->n, cols);
    struct tile_matrix *Y = probes_create(p->m, cols);
    struct tile_matrix *scratch = v->identity ? probes_create(p->m, cols) : NULL;
    if (X && Y && (v->identity ? scratch : v->AX)) {
        fill(v, first, probes_all(X));
        v->benchmark->multiply(p, probes_all(X), probes_all(Y));
        squares = v->identity
                      ? squared_difference_to_input(v, first, probes_all(Y), probes_all(scratch))
                      : probes_squared_difference(probes_all(v->AX), first, probes_all(Y));
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
    struct tile_matrix *X = probes_create(p->m, cols);
    struct tile_matrix *Y = probes_create(p->m, cols);
    if (X && Y) {
        fill(v, first, probes_all(X));
        fill(v, first, probes_all(Y));
        v->benchmark->round_trip(p, probes_all(Y));
        squares = probes_squared_difference(probes_all(X), 0, probes_all(Y));
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
    size_t blocks = ceiling(cols, v->block);
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
    double norm = NAN;
    struct tile_matrix *X = probes_create(p->n, cols);
    v->AX = probes_create(p->m, cols);
    if (X)
        fill(v, 0, probes_all(X));
    if (!X || !v->AX ||
        !input_multiply(&p->input, v->benchmark->symmetric, probes_all(X), probes_all(v->AX),
                        p->threads, &norm))
        v->no_memory = true;
    tile_matrix_destroy(X);
    return norm;
}

bool verify(const struct benchmark *benchmark, struct problem *problem, enum check check,
            struct verification *result)
{
    *result = (struct verification){.passed = true};
    if (check == CHECK_NONE)
        return true;
    if (benchmark->verify)
        return benchmark->verify(problem, check, result);
    bool full = check == CHECK_FULL;
    struct verifier v = {.benchmark = benchmark,
                         .problem = problem,
                         .identity = full,
                         .block = full ? problem->A->nb : ceiling(PROBES, problem->threads)};
    double longer = (double)larger(problem->m, problem->n);
    double norm = input_norm(&v);
    double error = error_norm(&v, full ? problem->n : PROBES, factor_error);
    verification_add_scaled(result, benchmark->residual_name, error, longer * DBL_EPSILON * norm);
    if (benchmark->round_trip) {
        error = error_norm(&v, full ? problem->m : PROBES, orthogonality_error);
        verification_add_scaled(result, benchmark->orthogonality_name, error,
                                (double)problem->m * DBL_EPSILON);
    }
    tile_matrix_destroy(v.AX);
    return !v.no_memory;
}
