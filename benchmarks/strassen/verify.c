/* SPDX-License-Identifier: BSD-3-Clause
 * The input, and the error of C.
 *
 * Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition (SIAM 2002), Theorems 23.2 and 23.3,
 * bounds each element of the error E of C, for order n, leaves of order h and the largest elements of
 * A and B, here at most 1, with the unit roundoff u, to first order in u:
 *
 *     |E(i,j)| <= e = ((n/h)^log2(g) (h² + s h) - s n) u,    g = 12, s = 5 (Strassen), 18, 6 (Winograd).
 *
 * `full` compares C with products by dgemm, whose own error is at most n² u. `fast` compares C x with A (B x)
 * for vectors x of random signs. By Hoeffding's inequality (J. Amer. Stat. Assoc. 58, 1963, theorem 2) an
 * element of E x exceeds t √n e with a probability of at most 2 exp(-t²/2): for t = 10, 4e-22; it never
 * exceeds n e. What is compared are three products with vectors, with elements of at most n, n² and n²: they
 * add an error of at most 3 n³ u. The residual is the largest element of the difference over that sum. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/strassen/strassen.h"
#include "common/base/sizes.h"
#include "common/matrix/input_product.h"
#include "common/run/probes.h"
#include "kernels/dense/product.h"

static const double UNIT_ROUNDOFF = DBL_EPSILON / 2, DEVIATIONS = 10.0;

/* ---- input ---- */

static struct input input_of_A(const struct problem *p)
{
    return p->input;
}

/* B is another random matrix of the same kind. */
static struct input input_of_B(const struct problem *p)
{
    struct input B = p->input;
    B.seed = ~B.seed;
    return B;
}

/* The part of tile (i, j) of an order × order matrix that is within the first n rows and columns. */
static struct tile inside(const struct tile_matrix *A, size_t n, size_t i, size_t j)
{
    struct tile t = tile_at(A, i, j);
    size_t rows = n - smaller(n, i * A->mb), cols = n - smaller(n, j * A->nb);
    return tile_submatrix(t, 0, 0, smaller(rows, t.rows), smaller(cols, t.cols));
}

static void fill(struct input input, const struct tile_matrix *A, size_t threads)
{
#pragma omp parallel for collapse(2) schedule(static) num_threads((int)threads)
    for (size_t j = 0; j < A->nt; j++)
        for (size_t i = 0; i < A->mt; i++)
            input_tile(&input, i * A->mb, j * A->nb, inside(A, input.n, i, j));
}

/* A task that reads a leaf before it is written then reads a NaN, in every repetition. The threads are the first to
 * touch the leaves, as they are in `fill`: every page of them. */
static void spoil(const struct tile_matrix *A, size_t threads)
{
    enum { PAGE_DOUBLES = 4096 / sizeof(double) };
    size_t leaves = A ? A->mt * A->nt : 0;
#pragma omp parallel for schedule(static) num_threads((int)threads)
    for (size_t t = 0; t < leaves; t++) {
        struct tile leaf = tile_at(A, t % A->mt, t / A->mt);
        for (size_t i = 0; i < leaf.ld * (leaf.cols - 1) + leaf.rows; i += PAGE_DOUBLES)
            leaf.a[i] = NAN;
        leaf.a[leaf.ld * (leaf.cols - 1) + leaf.rows - 1] = NAN;
    }
}

void strassen_generate(struct problem *p)
{
    const struct matrices *s = strassen_of(p);
    fill(input_of_A(p), s->A, p->threads);
    fill(input_of_B(p), s->B, p->threads);
    spoil(s->C, p->threads);
    spoil(s->work, p->threads);
}

/* ---- bounds ---- */

double strassen_error_bound(const struct recursion *r)
{
    double h = (double)r->leaf, n = (double)(r->leaf << r->levels), s = r->form->slope;
    return (pow(r->form->growth, (double)r->levels) * (h * h + s * h) - s * n) * UNIT_ROUNDOFF;
}

static double bound_of_elements(const struct recursion *r)
{
    double n = (double)(r->leaf << r->levels);
    return strassen_error_bound(r) + n * n * UNIT_ROUNDOFF;
}

static double bound_of_probes(const struct recursion *r)
{
    double n = (double)(r->leaf << r->levels);
    double terms = fmin(n, DEVIATIONS * sqrt(n));
    return terms * strassen_error_bound(r) + 3.0 * n * n * n * UNIT_ROUNDOFF;
}

static double largest_difference(struct tile X, struct tile Y)
{
    double largest = 0.0;
    for (size_t j = 0; j < X.cols; j++)
        for (size_t i = 0; i < X.rows; i++)
            largest = worse(fabs(X.a[i + j * X.ld] - Y.a[i + j * Y.ld]), largest);
    return largest;
}

/* ---- fast: by probes ---- */

/* Y := C X in the rows of row i of tiles. */
static void multiply_row(const struct tile_matrix *C, size_t n, size_t i, struct tile X,
                         struct tile Y)
{
    size_t rows = inside(C, n, i, 0).rows, top = i * C->mb;
    for (size_t v = 0; v < Y.cols; v++)
        for (size_t k = 0; k < rows; k++)
            Y.a[top + k + v * Y.ld] = 0.0;
    for (size_t j = 0; j < C->nt; j++) {
        struct tile t = inside(C, n, i, j);
        for (size_t l = 0; l < t.cols; l++)
            for (size_t v = 0; v < X.cols; v++)
                for (size_t k = 0; k < rows; k++)
                    Y.a[top + k + v * Y.ld] += t.a[k + l * t.ld] * X.a[j * C->nb + l + v * X.ld];
    }
}

static void multiply_result(const struct problem *p, struct tile X, struct tile Y)
{
    const struct tile_matrix *C = strassen_of(p)->C;
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t i = 0; i < C->mt; i++)
        multiply_row(C, p->n, i, X, Y);
}

/* Leaves A (B X) in Y; X is overwritten. */
static bool multiply_inputs(const struct problem *p, struct tile X, struct tile Y)
{
    struct input A = input_of_A(p), B = input_of_B(p);
    double norm;
    if (!input_multiply(&B, false, X, Y, p->threads, &norm))
        return false;
    tile_copy(Y, X);
    return input_multiply(&A, false, X, Y, p->threads, &norm);
}

static bool probe_error(struct problem *p, double *error)
{
    struct tile_matrix *memory = tile_matrix_create(p->n, (size_t)3 * PROBES, p->n, PROBES, NULL);
    if (!memory)
        return false;
    struct tile X = tile_at(memory, 0, 0), CX = tile_at(memory, 0, 1), ABX = tile_at(memory, 0, 2);
    probes_fill(p->input.seed, false, 0, X);
    multiply_result(p, X, CX);
    bool enough = multiply_inputs(p, X, ABX);
    *error = largest_difference(CX, ABX);
    tile_matrix_destroy(memory);
    return enough;
}

/* ---- full: by the elements ---- */

/* The largest error of the elements of tile (i, j); `product` has a leaf's size, all 0. */
static double tile_error(const struct matrices *s, size_t n, size_t i, size_t j,
                         struct tile product)
{
    for (size_t k = 0; k < s->A->nt; k++)
        subtract_product(tile_at(s->A, i, k), NO_TRANSPOSE, tile_at(s->B, k, j), product);
    for (size_t l = 0; l < product.cols * product.ld; l++)
        product.a[l] = -product.a[l];
    return largest_difference(inside(s->C, n, i, j), product);
}

static bool element_error(struct problem *p, double *error)
{
    const struct matrices *s = strassen_of(p);
    size_t h = s->recursion.leaf, ld = tile_leading_dimension(h), tiles = s->C->mt * s->C->nt;
    double largest = 0.0;
    bool enough = true;
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t t = 0; t < tiles; t++) {
        double *memory = calloc(h * ld, sizeof *memory);
        double own =
            memory ? tile_error(s, p->n, t % s->C->mt, t / s->C->mt, tile_view(memory, h, h, ld))
                   : NAN;
#pragma omp critical(strassen_error)
        {
            largest = worse(own, largest);
            enough = enough && memory;
        }
        free(memory);
    }
    *error = largest;
    return enough;
}

bool strassen_verify(struct problem *p, enum check check, struct verification *result)
{
    const struct recursion *r = &strassen_of(p)->recursion;
    bool full = check == CHECK_FULL;
    double error = NAN;
    if (!(full ? element_error(p, &error) : probe_error(p, &error)))
        return false;
    verification_add(result, "C-AB", error / (full ? bound_of_elements(r) : bound_of_probes(r)),
                     1.0);
    return true;
}
