/* SPDX-License-Identifier: BSD-3-Clause
 * Column by column, each updated by all columns before in one pass that also scales the column before
 * it and looks for the next pivot: a panel is too large for the first-level cache, and passes count. */
#include "kernels/avx512/panel.h"

#ifdef __x86_64__
#include <math.h>

#include "kernels/avx512/vectors.h"

/* The rows of the triangle on top, the head, are worked on one by one; the body below in vectors. */
enum { HEAD = PANEL_LEAF_COLUMNS };

/* The first of the largest elements by absolute value. */
struct largest {
    double value;
    size_t row;
};

/* The same of each lane; until there is one, a value below that of every struct largest. */
struct candidates {
    __m512d value;
    __m512i row;
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows `row` … of column c: scales column c - 1, updates, and looks for a pivot. */
AVX512_INLINE void visit(size_t c, __mmask8 used, double *A, size_t ld, const double *u,
                         double scale, size_t row, struct candidates *best)
{
    double *a = A + row;
    __m512d x = _mm512_maskz_loadu_pd(used, a + c * ld);
#pragma GCC unroll 8
    for (size_t t = 0; t < c; t++) {
        __m512d l = _mm512_maskz_loadu_pd(used, a + t * ld);
        if (t + 1 == c) {
            l = _mm512_mul_pd(l, _mm512_set1_pd(scale));
            _mm512_mask_storeu_pd(a + t * ld, used, l);
        }
        x = _mm512_fnmadd_pd(l, _mm512_set1_pd(u[t]), x);
    }
    if (c > 0)
        _mm512_mask_storeu_pd(a + c * ld, used, x);
    x = _mm512_abs_pd(x);
    __mmask8 more = _mm512_mask_cmp_pd_mask(used, x, best->value, _CMP_GT_OQ);
    best->value = _mm512_mask_mov_pd(best->value, more, x);
    best->row = _mm512_mask_mov_epi64(best->row, more, _mm512_set1_epi64((long long)row));
}

/* Adds what the lanes found to what the rows above have. */
AVX512 static struct largest largest_of(struct largest above, struct candidates found)
{
    double value[LANES];
    long long row[LANES];
    _mm512_storeu_pd(value, found.value);
    _mm512_storeu_si512(row, found.row);
    for (size_t lane = 0; lane < LANES; lane++) {
        size_t own = (size_t)row[lane] + lane;
        if (value[lane] > above.value || (value[lane] == above.value && own < above.row))
            above = (struct largest){value[lane], own};
    }
    return above;
}

AVX512_INLINE struct largest visit_body(size_t c, size_t m, double *A, size_t ld, const double *u,
                                        double scale, struct largest above)
{
    struct candidates best = {_mm512_set1_pd(-2.0), _mm512_setzero_si512()};
    size_t row = HEAD;
    for (; row + LANES <= m; row += LANES)
        visit(c, 0xff, A, ld, u, scale, row, &best);
    if (row < m)
        visit(c, lanes(m - row), A, ld, u, scale, row, &best);
    return largest_of(above, best);
}

AVX512 static struct largest update_body(size_t c, size_t m, double *A, size_t ld, double scale,
                                         struct largest above)
{
    const double *u = A + c * ld;
    switch (c) {
    case 0:
        return visit_body(0, m, A, ld, u, scale, above);
    case 1:
        return visit_body(1, m, A, ld, u, scale, above);
    case 2:
        return visit_body(2, m, A, ld, u, scale, above);
    case 3:
        return visit_body(3, m, A, ld, u, scale, above);
    case 4:
        return visit_body(4, m, A, ld, u, scale, above);
    case 5:
        return visit_body(5, m, A, ld, u, scale, above);
    case 6:
        return visit_body(6, m, A, ld, u, scale, above);
    default:
        return visit_body(7, m, A, ld, u, scale, above);
    }
}

/* Updates column c in the head. */
static struct largest update_head(size_t c, size_t m, double *A, size_t ld)
{
    struct largest best = {-1.0, c};
    for (size_t i = 1; i < smaller(m, HEAD); i++) {
        double x = A[i + c * ld];
        for (size_t t = 0; t < smaller(i, c); t++)
            x -= A[i + t * ld] * A[t + c * ld];
        A[i + c * ld] = x;
    }
    for (size_t i = c; i < smaller(m, HEAD); i++)
        if (fabs(A[i + c * ld]) > best.value)
            best = (struct largest){fabs(A[i + c * ld]), i};
    return best;
}

static void swap_rows(size_t n, double *A, size_t ld, size_t first, size_t second)
{
    for (size_t j = 0; j < n; j++) {
        double value = A[first + j * ld];
        A[first + j * ld] = A[second + j * ld];
        A[second + j * ld] = value;
    }
}

/* Divides column c by its pivot in the head.
 * @return by what the body is still to be multiplied */
static double divide_head(size_t c, size_t m, double *A, size_t ld)
{
    double pivot = A[c + c * ld];
    double scale = pivot == 0.0 ? 1.0 : 1.0 / pivot;
    for (size_t i = c + 1; i < smaller(m, HEAD); i++)
        A[i + c * ld] *= scale;
    return scale;
}

AVX512 size_t avx512_panel_leaf(size_t m, size_t n, double *A, size_t ld, int *pivots)
{
    size_t bad = 0;
    double scale = 1.0;
    for (size_t c = 0; c < n; c++) {
        struct largest best = update_body(c, m, A, ld, scale, update_head(c, m, A, ld));
        pivots[c] = (int)best.row + 1;
        swap_rows(n, A, ld, c, best.row);
        if (bad == 0 && A[c + c * ld] == 0.0)
            bad = c + 1;
        scale = divide_head(c, m, A, ld);
    }
    for (size_t i = HEAD; i < m; i++)
        A[i + (n - 1) * ld] *= scale;
    return bad;
}
#endif
