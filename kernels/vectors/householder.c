/* SPDX-License-Identifier: BSD-3-Clause
 * One pass over the rows, a vector of each column at a time. */
#include "kernels/vectors/householder.h"

#include "kernels/vectors/vectors.h"

enum { REFLECTED = VECTOR_REFLECTOR_COLUMNS };

/* All columns on the rows of one vector, the first at `a`. */
INLINE void reflect_vector(double *a, size_t lda, size_t j, lane_mask rows, double scale,
                           const double *w, vector s[REFLECTED])
{
    vector c[REFLECTED];
#pragma GCC unroll 8
    for (size_t i = 0; i < REFLECTED; i++)
        c[i] = v_load_lanes(rows, a + i * lda);
    c[j] = v_multiply(c[j], v_all(scale));
    v_store_lanes(a + j * lda, rows, c[j]);
#pragma GCC unroll 8
    for (size_t i = j + 1; i < REFLECTED; i++) {
        c[i] = v_subtract_product(v_all(w[i]), c[j], c[i]);
        v_store_lanes(a + i * lda, rows, c[i]);
    }
    if (j + 1 == REFLECTED)
        return;
#pragma GCC unroll 8
    for (size_t i = 0; i < REFLECTED; i++)
        s[i] = v_add_product(c[j + 1], c[i], s[i]);
}

INLINE void reflect(struct tile A, size_t j, double scale, const double *w, double *s)
{
    vector products[REFLECTED];
#pragma GCC unroll 8
    for (size_t i = 0; i < REFLECTED; i++)
        products[i] = v_zero();
    size_t row = 0;
    for (; row + LANES <= A.rows; row += LANES)
        reflect_vector(A.a + row, A.ld, j, ALL_LANES, scale, w, products);
    if (row < A.rows)
        reflect_vector(A.a + row, A.ld, j, lanes(A.rows - row), scale, w, products);
#pragma GCC unroll 2
    for (size_t i = 0; i < REFLECTED; i += LANES)
        v_store(s + i, v_sums(products + i));
}

/* The column is a constant in each call of reflect, so that vectors stay in registers. */
void ISA(reflect)(const struct tile *A, size_t j, double scale, const double *w, double *s)
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
