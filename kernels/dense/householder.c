/* SPDX-License-Identifier: BSD-3-Clause
 * A few reflectors: one pass over the columns for each, which applies it and computes the products
 * that the next one needs.
 *
 * For x, the part of column j below R's row, s[i] = xᵀ a where a is the same part of column i. A step needs
 * nothing else of the columns: s[j] gives the norm, and v = scale x the products vᵀ a. */
#include "kernels/dense/householder.h"

#include <lapacke.h>
#include <math.h>

#include "kernels/dense/choice.h"
#include "kernels/dense/product.h"

_Static_assert((int)HOUSEHOLDER_COLUMNS == (int)VECTOR_REFLECTOR_COLUMNS,
               "our own code takes all columns at once");

/* The rows below row j of R. */
static struct tile rows_below(struct qr_panel p, size_t j)
{
    return p.trapezoid ? tile_part(p.A, j + 1, p.A.rows - j - 1) : p.A;
}

static void products_below(struct qr_panel p, size_t j, double *s)
{
    struct tile a = rows_below(p, j), x = tile_submatrix(a, 0, j, a.rows, 1);
    product_transposed(UPDATE_ASSIGN, SHAPE_GENERAL, a, x, tile_view(s, a.cols, 1, a.cols));
}

/* True if neither squares nor products can have lost digits to overflow or underflow, and nothing is
 * a NaN. The bounds leave factors of 1e28 to the limits of double precision. */
static bool accurate(size_t k, const double *s)
{
    bool all = true;
    for (size_t i = 0; i < k; i++)
        all = all && fabs(s[i]) > 1e-280 && fabs(s[i]) < 1e280;
    return all;
}

/* Makes reflector j: R(j, j) becomes LAPACK's beta; v is scale times the elements of column j below.
 * @return tau */
static double make_reflector(struct qr_panel p, size_t j, double *s, double *scale)
{
    double *alpha = p.R.a + j + j * p.R.ld, tau;
    if (accurate(p.A.cols, s)) {
        double norm =
            fabs(*alpha) < 1e140 ? sqrt(*alpha * *alpha + s[j]) : hypot(*alpha, sqrt(s[j]));
        double beta = -copysign(norm, *alpha);
        tau = (beta - *alpha) / beta;
        *scale = 1 / (*alpha - beta);
        *alpha = beta;
        return tau;
    }
    struct tile x = rows_below(p, j);
    LAPACKE_dlarfg_work((int)x.rows + 1, alpha, x.a + j * x.ld, 1, &tau);
    products_below(p, j, s);
    *scale = 1;
    return tau;
}

/* T(:, j) := (-tau T V(:, 0:j)ᵀ v; tau; 0) */
static void make_triangle_column(struct qr_panel p, size_t j, double tau, double scale,
                                 const double *s, struct tile T)
{
    double g[HOUSEHOLDER_COLUMNS], *t = T.a + j * T.ld;
    for (size_t i = 0; i < j; i++)
        g[i] = (p.trapezoid ? p.A.a[j + i * p.A.ld] : 0) + scale * s[i];
    for (size_t i = 0; i < T.cols; i++) {
        double sum = 0;
        for (size_t l = i; l < j; l++)
            sum += T.a[i + l * T.ld] * g[l];
        t[i] = i < j ? -tau * sum : 0;
    }
    t[j] = tau;
}

/* Row j of R, and the factors w of v in the columns after j. */
static void update_row(struct tile R, size_t j, double tau, double scale, const double *s,
                       double *w)
{
    for (size_t i = j + 1; i < R.cols; i++) {
        double *r = R.a + j + i * R.ld;
        w[i] = tau * (*r + scale * s[i]);
        *r -= w[i];
    }
}

/* A(:, j) := v, A(:, i) := A(:, i) - w[i] v for the columns after j. */
static void reflect(struct tile A, size_t j, double scale, const double *w)
{
    double *v = A.a + j * A.ld;
    for (size_t i = 0; i < A.rows; i++)
        v[i] *= scale;
    for (size_t c = j + 1; c < A.cols; c++)
        for (size_t i = 0; i < A.rows; i++)
            A.a[i + c * A.ld] -= w[c] * v[i];
}

/* Applies reflector j to the rows below; s becomes the products of the next. */
static void update_below(struct qr_panel p, size_t j, double scale, const double *w, double *s)
{
    struct tile below = rows_below(p, j);
    if (p.trapezoid && below.rows > 0) { /* this row is R's next: no part of the products */
        reflect(tile_part(below, 0, 1), j, scale, w);
        below = tile_part(below, 1, below.rows - 1);
    }
    if (own_code() && below.cols == HOUSEHOLDER_COLUMNS) {
        own_code()->reflect(&below, j, scale, w, s);
        return;
    }
    reflect(below, j, scale, w);
    if (j + 1 < below.cols)
        products_below(p, j + 1, s);
}

void householder_columns(struct qr_panel p, struct tile T)
{
    double s[HOUSEHOLDER_COLUMNS], w[HOUSEHOLDER_COLUMNS], scale;
    products_below(p, 0, s);
    for (size_t j = 0; j < p.A.cols; j++) {
        double tau = make_reflector(p, j, s, &scale);
        make_triangle_column(p, j, tau, scale, s, T);
        update_row(p.R, j, tau, scale, s, w);
        update_below(p, j, scale, w, s);
    }
}
