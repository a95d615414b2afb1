/* SPDX-License-Identifier: BSD-3-Clause
 * Each vector is compared with the product of what its children's vectors are at the end: if all agree, the whole tree
 * is right. With M = S or P and x the vector that it multiplies, the residual is
 *
 *     ‖q - M x‖ / (k ε ‖M‖ ‖x‖), norms over all cells, k the columns of M,
 *
 * whose bound is 1/2 (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, SIAM 2002, section 3.5);
 * LAPACK's testers use the threshold 30. `full` computes M x by loops. `fast` multiplies q - M x by PROBES vectors w of
 * random signs, (w q) - (Mᵀ w) x; see common/run/verify.h.
 *
 * Vectors are also computed again on one thread, and must have the same bits: all for `full`, some for `fast`. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/cell-tree/cells.h"
#include "common/base/bits.h"
#include "common/base/sizes.h"
#include "common/run/probes.h"

static const double THRESHOLD = 30.0;

/* Cells of which `fast` compares the bits. */
enum { SAMPLED = 64 };

/* What the threads share while they verify. */
struct verifier {
    const struct problem *p;
    enum check check;
    double *signs;     /* the vectors w, one after another; NULL for `full`, as the next */
    double *probes[2]; /* Mᵀ w of S and P, vector after vector */
    double norms[2];   /* ‖M‖² */
    double error, input;
    size_t different; /* elements whose bits differ */
    bool no_memory;
};

size_t cells_verify_bytes(const struct problem *p, enum check check)
{
    size_t vectors = check == CHECK_FULL ? 0 : (p->parameters[CELLS_BRANCHING] + 2) * PROBES;
    size_t doubles = saturating_multiply(p->n, saturating_add(vectors, 2 * p->threads));
    return saturating_multiply(doubles, sizeof(double));
}

static bool is_leaf(const struct problem *p, size_t level)
{
    return level == p->parameters[CELLS_DEPTH];
}

static double dot(const double *x, const double *y, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

/* S or P, n × n or side by side as many as a cell has children. */
static struct tile matrix_of(const struct problem *p, int other)
{
    const struct cells *tree = cells_of(p);
    size_t columns = other ? p->n * p->parameters[CELLS_BRANCHING] : p->n;
    return tile_view(other ? tree->P : tree->S, p->n, columns, tree->ld);
}

/* Z := Mᵀ w of all vectors w. @return false if out of memory */
static bool multiply_signs(struct verifier *v, int other)
{
    struct tile M = matrix_of(v->p, other);
    double *z = v->probes[other] = malloc(M.cols * PROBES * sizeof *z);
    const double *signs = v->signs;
    size_t threads = z ? v->p->threads : 1, columns = z ? M.cols : 0;
#pragma omp parallel for schedule(static) num_threads((int)threads)
    for (size_t j = 0; j < columns; j++)
        for (size_t w = 0; w < PROBES; w++)
            z[j + w * M.cols] = dot(signs + w * M.rows, M.a + j * M.ld, M.rows);
    return z != NULL;
}

static bool create_probes(struct verifier *v)
{
    size_t n = v->p->n;
    v->signs = malloc(n * PROBES * sizeof *v->signs);
    if (!v->signs)
        return false;
    probes_fill(v->p->input.seed, false, 0, tile_view(v->signs, n, PROBES, n));
    return multiply_signs(v, 0) && multiply_signs(v, 1);
}

/* Σ ((w q) - scale (Mᵀ w) x)² / PROBES */
static double probed_error(const struct verifier *v, const struct cell_product *product,
                           const double *z, const double *q)
{
    double error = 0.0;
    for (size_t w = 0; w < PROBES; w++) {
        double left = dot(v->signs + w * v->p->n, q, v->p->n);
        double difference = left - product->scale * dot(z + w * product->columns, product->vector,
                                                        product->columns);
        error += difference * difference;
    }
    return error / (double)PROBES;
}

/* ‖q - scale M x‖², with n doubles of scratch memory */
static double full_error(const struct verifier *v, const struct cell_product *product,
                         const double *q, double *y)
{
    size_t n = v->p->n, ld = cells_of(v->p)->ld;
    double error = 0.0;
    memset(y, 0, n * sizeof *y);
    for (size_t j = 0; j < product->columns; j++)
        for (size_t i = 0; i < n; i++)
            y[i] += product->matrix[i + j * ld] * product->vector[j];
    for (size_t i = 0; i < n; i++)
        error += (q[i] - product->scale * y[i]) * (q[i] - product->scale * y[i]);
    return error;
}

static size_t different_bits(const struct problem *p, const struct cell_product *product,
                             const double *q, double *y)
{
    size_t different = 0;
    for (size_t first = 0; first < p->n; first += p->nb)
        cell_multiply(p, product, first, smaller(p->nb, p->n - first), y + first);
    for (size_t i = 0; i < p->n; i++)
        different += bits_of(q[i]) != bits_of(y[i]);
    return different;
}

static void verify_cell(struct verifier *v, size_t level, size_t cell, bool compared, double *y)
{
    const struct problem *p = v->p;
    struct cell_product product = cell_product_of(p, level, cell);
    const double *q = cell_vector(p, level, cell);
    int other = !is_leaf(p, level);
    double columns = (double)product.columns;
    double error = v->check == CHECK_FULL ? full_error(v, &product, q, y)
                                          : probed_error(v, &product, v->probes[other], q);
    double input = product.scale * product.scale * v->norms[other] * columns * columns *
                   dot(product.vector, product.vector, product.columns);
    size_t different = compared ? different_bits(p, &product, q, y) : 0;
#pragma omp atomic
    v->error += error;
#pragma omp atomic
    v->input += input;
#pragma omp atomic
    v->different += different;
}

static void verify_level(struct verifier *v, size_t level)
{
    size_t count = cells_on_level(v->p, level);
    size_t every = v->check == CHECK_FULL ? 1 : ceiling(count, SAMPLED);
#pragma omp parallel num_threads((int)v->p->threads) shared(v, level, count, every)
    {
        double *y = malloc(v->p->n * sizeof *y);
        if (!y) {
#pragma omp atomic write
            v->no_memory = true;
        }
#pragma omp for schedule(static)
        for (size_t cell = 0; cell < count; cell++)
            if (y)
                verify_cell(v, level, cell, cell % every == 0, y);
        free(y);
    }
}

bool cells_verify(struct problem *p, enum check check, struct verification *result)
{
    struct verifier v = {.p = p, .check = check};
    bool created = check == CHECK_FULL || create_probes(&v);
    for (int other = 0; other < 2; other++)
        v.norms[other] = tile_squares(matrix_of(p, other));
    for (size_t level = 0; created && level <= p->parameters[CELLS_DEPTH]; level++)
        verify_level(&v, level);
    free(v.signs);
    free(v.probes[0]);
    free(v.probes[1]);
    if (!created || v.no_memory)
        return false;
    verification_add(result, "Q-MX", sqrt(v.error / v.input) / DBL_EPSILON, THRESHOLD);
    verification_add(result, "BITS", (double)v.different, 0.0);
    return true;
}
