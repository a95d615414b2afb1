/* SPDX-License-Identifier: BSD-3-Clause
 * A few reflectors: one pass over the columns for each, which applies it and makes the products that
 * the next one is made of.
 *
 * For x, the part of column j below R's row, s[i] = xᵀ a with a the same part of column i. That is
 * all a step needs of the columns: s[j] gives the norm, and v = scale x the products vᵀ a. */
#include "kernels/dense/householder.h"

#include <lapacke.h>
#include <math.h>

#include "kernels/avx512/product.h"
#include "kernels/dense/product.h"

/* The rows below row j of R, and how many they are. */
static double *rows_below(struct qr_panel p, size_t j, size_t *count)
{
    *count = p.trapezoid ? p.rows - j - 1 : p.rows;
    return p.trapezoid ? p.A + j + 1 : p.A;
}

static void products_below(struct qr_panel p, size_t j, size_t k, double *s)
{
    size_t count;
    const double *a = rows_below(p, j, &count);
    product_transposed(PRODUCT_ASSIGN, SHAPE_GENERAL, k, 1, count, a, p.lda, a + j * p.lda, p.lda,
                       s, k);
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

/* Makes reflector j: R(j, j) becomes LAPACK's beta; v is scale times what column j holds below.
 * @return tau */
static double make_reflector(struct qr_panel p, size_t j, size_t k, double *s, double *scale)
{
    double *alpha = p.R + j + j * p.ldr, tau;
    if (accurate(k, s)) {
        double norm =
            fabs(*alpha) < 1e140 ? sqrt(*alpha * *alpha + s[j]) : hypot(*alpha, sqrt(s[j]));
        double beta = -copysign(norm, *alpha);
        tau = (beta - *alpha) / beta;
        *scale = 1 / (*alpha - beta);
        *alpha = beta;
        return tau;
    }
    size_t count;
    double *x = rows_below(p, j, &count) + j * p.lda;
    LAPACKE_dlarfg_work((int)count + 1, alpha, x, 1, &tau);
    products_below(p, j, k, s);
    *scale = 1;
    return tau;
}

/* T(:, j) := (-tau T V(:, 0:j)ᵀ v; tau; 0) */
static void make_triangle_column(struct qr_panel p, size_t j, size_t k, double tau, double scale,
                                 const double *s, double *T, size_t ldt)
{
    double g[HOUSEHOLDER_COLUMNS];
    for (size_t i = 0; i < j; i++)
        g[i] = (p.trapezoid ? p.A[j + i * p.lda] : 0) + scale * s[i];
    for (size_t i = 0; i < k; i++) {
        double sum = 0;
        for (size_t l = i; l < j; l++)
            sum += T[i + l * ldt] * g[l];
        T[i + j * ldt] = i < j ? -tau * sum : 0;
    }
    T[j + j * ldt] = tau;
}

/* Row j of R, and the factors w of v in the columns behind j. */
static void update_row(struct qr_panel p, size_t j, size_t k, double tau, double scale,
                       const double *s, double *w)
{
    for (size_t i = j + 1; i < k; i++) {
        double *r = p.R + j + i * p.ldr;
        w[i] = tau * (*r + scale * s[i]);
        *r -= w[i];
    }
}

/* A(:, j) := v, A(:, i) := A(:, i) - w[i] v on that many rows. */
static void update_rows(size_t count, double *a, size_t lda, size_t j, size_t k, double scale,
                        const double *w)
{
    double *v = a + j * lda;
    for (size_t i = 0; i < count; i++)
        v[i] *= scale;
    for (size_t c = j + 1; c < k; c++)
        for (size_t i = 0; i < count; i++)
            a[i + c * lda] -= w[c] * v[i];
}

#ifdef __x86_64__
#include "kernels/avx512/vectors.h"

/* All columns on the rows of one vector. */
AVX512_INLINE void reflect_vector(double *a, size_t lda, size_t j, __mmask8 rows, double scale,
                                  const double *w, __m512d s[HOUSEHOLDER_COLUMNS])
{
    __m512d c[HOUSEHOLDER_COLUMNS];
#pragma GCC unroll 8
    for (size_t i = 0; i < HOUSEHOLDER_COLUMNS; i++)
        c[i] = _mm512_maskz_loadu_pd(rows, a + i * lda);
    c[j] = _mm512_mul_pd(c[j], _mm512_set1_pd(scale));
    _mm512_mask_storeu_pd(a + j * lda, rows, c[j]);
#pragma GCC unroll 8
    for (size_t i = j + 1; i < HOUSEHOLDER_COLUMNS; i++) {
        c[i] = _mm512_fnmadd_pd(_mm512_set1_pd(w[i]), c[j], c[i]);
        _mm512_mask_storeu_pd(a + i * lda, rows, c[i]);
    }
    if (j + 1 == HOUSEHOLDER_COLUMNS)
        return;
#pragma GCC unroll 8
    for (size_t i = 0; i < HOUSEHOLDER_COLUMNS; i++)
        s[i] = _mm512_fmadd_pd(c[j + 1], c[i], s[i]);
}

AVX512_INLINE void reflect(size_t count, double *a, size_t lda, size_t j, double scale,
                           const double *w, double *s)
{
    __m512d products[HOUSEHOLDER_COLUMNS];
#pragma GCC unroll 8
    for (size_t i = 0; i < HOUSEHOLDER_COLUMNS; i++)
        products[i] = _mm512_setzero_pd();
    size_t row = 0;
    for (; row + LANES <= count; row += LANES)
        reflect_vector(a + row, lda, j, 0xff, scale, w, products);
    if (row < count)
        reflect_vector(a + row, lda, j, lanes(count - row), scale, w, products);
    _mm512_storeu_pd(s, sums(products));
}

/* update_rows on 8 columns, and the next products. The column is a constant in each call of reflect, so
 * that vectors stay in registers. */
AVX512 static void avx512_update_rows(size_t count, double *a, size_t lda, size_t j, double scale,
                                      const double *w, double *s)
{
    switch (j) {
    case 0:
        reflect(count, a, lda, 0, scale, w, s);
        break;
    case 1:
        reflect(count, a, lda, 1, scale, w, s);
        break;
    case 2:
        reflect(count, a, lda, 2, scale, w, s);
        break;
    case 3:
        reflect(count, a, lda, 3, scale, w, s);
        break;
    case 4:
        reflect(count, a, lda, 4, scale, w, s);
        break;
    case 5:
        reflect(count, a, lda, 5, scale, w, s);
        break;
    case 6:
        reflect(count, a, lda, 6, scale, w, s);
        break;
    default:
        reflect(count, a, lda, 7, scale, w, s);
        break;
    }
}
#else
static void avx512_update_rows(size_t count, double *a, size_t lda, size_t j, double scale,
                               const double *w, double *s)
{
    (void)s;
    update_rows(count, a, lda, j, HOUSEHOLDER_COLUMNS, scale, w);
}
#endif

/* Applies reflector j to the rows below; s becomes the products of the next. */
static void update_below(struct qr_panel p, size_t j, size_t k, double scale, const double *w,
                         double *s)
{
    size_t count;
    double *a = rows_below(p, j, &count);
    if (p.trapezoid && count > 0) { /* this row is R's next: no part of the products */
        update_rows(1, a++, p.lda, j, k, scale, w);
        count--;
    }
    if (k == HOUSEHOLDER_COLUMNS && avx512_usable()) {
        avx512_update_rows(count, a, p.lda, j, scale, w, s);
        return;
    }
    update_rows(count, a, p.lda, j, k, scale, w);
    if (j + 1 < k)
        products_below(p, j + 1, k, s);
}

void householder_columns(struct qr_panel p, size_t k, double *T, size_t ldt)
{
    double s[HOUSEHOLDER_COLUMNS], w[HOUSEHOLDER_COLUMNS], scale;
    products_below(p, 0, k, s);
    for (size_t j = 0; j < k; j++) {
        double tau = make_reflector(p, j, k, s, &scale);
        make_triangle_column(p, j, k, tau, scale, s, T, ldt);
        update_row(p, j, k, tau, scale, s, w);
        update_below(p, j, k, scale, w, s);
    }
}
