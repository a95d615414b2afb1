/* SPDX-License-Identifier: BSD-3-Clause
 * One pass over the rows, a vector of each column at a time. */
#include "kernels/avx512/householder.h"

#include "kernels/avx512/vectors.h"

enum { COLUMNS = AVX512_REFLECTOR_COLUMNS };

/* All columns on the rows of one vector, the first at `a`. */
INLINE void reflect_vector(double *a, size_t lda, size_t j, __mmask8 rows, double scale,
                           const double *w, __m512d s[COLUMNS])
{
    __m512d c[COLUMNS];
#pragma GCC unroll 8
    for (size_t i = 0; i < COLUMNS; i++)
        c[i] = _mm512_maskz_loadu_pd(rows, a + i * lda);
    c[j] = _mm512_mul_pd(c[j], _mm512_set1_pd(scale));
    _mm512_mask_storeu_pd(a + j * lda, rows, c[j]);
#pragma GCC unroll 8
    for (size_t i = j + 1; i < COLUMNS; i++) {
        c[i] = _mm512_fnmadd_pd(_mm512_set1_pd(w[i]), c[j], c[i]);
        _mm512_mask_storeu_pd(a + i * lda, rows, c[i]);
    }
    if (j + 1 == COLUMNS)
        return;
#pragma GCC unroll 8
    for (size_t i = 0; i < COLUMNS; i++)
        s[i] = _mm512_fmadd_pd(c[j + 1], c[i], s[i]);
}

INLINE void reflect(struct tile A, size_t j, double scale, const double *w, double *s)
{
    __m512d products[COLUMNS];
#pragma GCC unroll 8
    for (size_t i = 0; i < COLUMNS; i++)
        products[i] = _mm512_setzero_pd();
    size_t row = 0;
    for (; row + LANES <= A.rows; row += LANES)
        reflect_vector(A.a + row, A.ld, j, 0xff, scale, w, products);
    if (row < A.rows)
        reflect_vector(A.a + row, A.ld, j, lanes(A.rows - row), scale, w, products);
    _mm512_storeu_pd(s, sums(products));
}

/* The column is a constant in each call of reflect, so that vectors stay in registers. */
void avx512_reflect(const struct tile *A, size_t j, double scale, const double *w, double *s)
{
    switch (j) {
    case 0:
        reflect(*A, 0, scale, w, s);
        break;
    case 1:
        reflect(*A, 1, scale, w, s);
        break;
    case 2:
        reflect(*A, 2, scale, w, s);
        break;
    case 3:
        reflect(*A, 3, scale, w, s);
        break;
    case 4:
        reflect(*A, 4, scale, w, s);
        break;
    case 5:
        reflect(*A, 5, scale, w, s);
        break;
    case 6:
        reflect(*A, 6, scale, w, s);
        break;
    default:
        reflect(*A, 7, scale, w, s);
        break;
    }
}
