/* SPDX-License-Identifier: BSD-3-Clause
 * Products and triangular solves without packing, for processors with AVX-512: blocks of 24 × 8 elements
 * stay in 24 registers from their first update to the last, or to their solution. */
#include "kernels/avx512_triangular.h"

#ifdef __x86_64__
#include "kernels/avx512_block.h"

/* Columns of A whose 24 rows, with the rows of op(B) that they meet, stay in the first-level cache:
 * the fastest of 32 to 256 (docs/performance.md). */
enum { DEPTH = 64 };

static inline size_t depth_at(size_t l, size_t k)
{
    return k - l < DEPTH ? k - l : DEPTH;
}

/* ---- products: 24 rows and 64 columns of A meet all columns of op(B), which stay in the second-level
 * cache ---- */

/* At most 24 rows of C, k <= DEPTH. Fetches as much of A from `next` meanwhile. */
AVX512_INLINE void subtract_part(struct rows rows, size_t n, size_t k, const double *A, size_t lda,
                                 const double *next, struct stored B, double *C, size_t ldc)
{
    for (size_t j = 0; j < n; j += COLUMNS) {
        block x;
        load_block(rows, C + j * ldc, ldc, COLUMNS * ldc, x);
        for (size_t l = j * k / n; l < (j + COLUMNS) * k / n; l++)
#pragma GCC unroll 3
            for (size_t v = 0; v < rows.vectors; v++)
                _mm_prefetch(next + l * lda + v * LANES, _MM_HINT_T0);
        update_block(rows, k, A, lda, (struct stored){B.a + j * B.column, B.row, B.column}, x);
        store_block(rows, C + j * ldc, ldc, x);
    }
}

/* At most 24 rows of C. */
AVX512_INLINE void subtract_rows(struct rows rows, size_t n, size_t k, const double *A, size_t lda,
                                 struct stored B, double *C, size_t ldc)
{
    for (size_t l = 0; l < k; l += DEPTH) {
        const double *next = l + DEPTH < k ? A + (l + DEPTH) * lda : A + ROWS;
        subtract_part(rows, n, depth_at(l, k), A + l * lda, lda, next,
                      (struct stored){B.a + l * B.row, B.row, B.column}, C, ldc);
    }
}

AVX512_INLINE void subtract(size_t m, size_t n, size_t k, const double *A, size_t lda,
                            struct stored B, double *C, size_t ldc)
{
    size_t i = 0;
    for (; i + ROWS <= m; i += ROWS)
        subtract_rows((struct rows){VECTORS, 1, 0xff}, n, k, A + i, lda, B, C + i, ldc);
    if (m - i > (size_t)2 * LANES)
        subtract_rows(last_rows(3, m - i), n, k, A + i, lda, B, C + i, ldc);
    else if (m - i > LANES)
        subtract_rows(last_rows(2, m - i), n, k, A + i, lda, B, C + i, ldc);
    else if (m > i)
        subtract_rows(last_rows(1, m - i), n, k, A + i, lda, B, C + i, ldc);
}

AVX512 void avx512_subtract_product(size_t m, size_t n, size_t k, const double *A, size_t lda,
                                    const double *B, size_t ldb, int transposed, double *C,
                                    size_t ldc)
{
    if (transposed)
        subtract(m, n, k, A, lda, (struct stored){B, ldb, 1}, C, ldc);
    else
        subtract(m, n, k, A, lda, (struct stored){B, 1, ldb}, C, ldc);
}
/* ---- C := C - A A₁ᵀ in the lower trapezoid ---- */

/* Of column c of a block on the diagonal, whose first row is that of vector `first`: the lanes of
 * vector v on and below the diagonal. */
AVX512_INLINE __mmask8 lower_lanes(struct rows rows, size_t first, size_t v, size_t c)
{
    unsigned below = v > first ? 0xffu : v == first ? 0xffu << c : 0;
    return (__mmask8)(v + 1 < rows.vectors ? below : below & rows.used);
}

/* At most 8 columns, on the diagonal of 24 rows of C. */
AVX512_INLINE void subtract_diagonal(struct rows rows, size_t first, size_t k, const double *A,
                                     size_t lda, double *C, size_t ldc)
{
    block x;
    load_block(rows, C, ldc, 0, x);
    update_block(rows, k, A, lda, (struct stored){A + first * LANES, lda, 1}, x);
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++)
#pragma GCC unroll 3
        for (size_t v = first; v < rows.vectors; v++)
            _mm512_mask_storeu_pd(C + c * ldc + v * LANES, lower_lanes(rows, first, v, c), x[c][v]);
}

/* Rows i … of C. */
AVX512_INLINE void subtract_square_rows(struct rows rows, size_t i, size_t n, size_t k,
                                        const double *A, size_t lda, double *C, size_t ldc)
{
    size_t left = i < n ? i : n;
    subtract_rows(rows, left, k, A + i, lda, (struct stored){A, lda, 1}, C + i, ldc);
#pragma GCC unroll 3
    for (size_t v = 0; v < rows.vectors; v++)
        if (i + v * LANES < n)
            subtract_diagonal(rows, v, k, A + i, lda, C + i + (i + v * LANES) * ldc, ldc);
}

AVX512 void avx512_subtract_square(size_t m, size_t n, size_t k, const double *A, size_t lda,
                                   double *C, size_t ldc)
{
    size_t i = 0;
    for (; i + ROWS <= m; i += ROWS)
        subtract_square_rows((struct rows){VECTORS, 1, 0xff}, i, n, k, A, lda, C, ldc);
    if (m - i > (size_t)2 * LANES)
        subtract_square_rows(last_rows(3, m - i), i, n, k, A, lda, C, ldc);
    else if (m - i > LANES)
        subtract_square_rows(last_rows(2, m - i), i, n, k, A, lda, C, ldc);
    else if (m > i)
        subtract_square_rows(last_rows(1, m - i), i, n, k, A, lda, C, ldc);
}

/* ---- from the right: B := B T⁻¹, T upper triangular ---- */

/* x := the solution of 8 columns, of which the updates by all columns before are done; d is the
 * diagonal block of T. */
AVX512_INLINE void solve_block(size_t vectors, struct stored d, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++) {
        __m512d inverse = _mm512_set1_pd(1.0 / d.a[c * d.row + c * d.column]);
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            x[c][v] = _mm512_mul_pd(x[c][v], inverse);
#pragma GCC unroll 8
        for (size_t later = c + 1; later < COLUMNS; later++) {
            __m512d t = _mm512_set1_pd(d.a[c * d.row + later * d.column]);
#pragma GCC unroll 3
            for (size_t v = 0; v < vectors; v++)
                x[later][v] = _mm512_fnmadd_pd(x[c][v], t, x[later][v]);
        }
    }
}

/* At most 24 rows and DEPTH columns of B, given those before. */
AVX512_INLINE void solve_columns(struct rows rows, size_t n, struct stored T, double *B, size_t ldb)
{
    for (size_t j = 0; j < n; j += COLUMNS, T.a += COLUMNS * T.column) {
        block x;
        load_block(rows, B + j * ldb, ldb, ROWS, x);
        update_block(rows, j, B, ldb, T, x);
        solve_block(rows.vectors, (struct stored){T.a + j * T.row, T.row, T.column}, x);
        store_block(rows, B + j * ldb, ldb, x);
    }
}

/* At most 24 rows of B, from the first column to the last. */
AVX512_INLINE void solve_rows(struct rows rows, size_t n, struct stored T, double *B, size_t ldb)
{
    for (size_t j = 0; j < n; j += DEPTH) {
        size_t depth = depth_at(j, n), after = j + depth;
        solve_columns(rows, depth, (struct stored){T.a + j * (T.row + T.column), T.row, T.column},
                      B + j * ldb, ldb);
        subtract_rows(rows, n - after, depth, B + j * ldb, ldb,
                      (struct stored){T.a + j * T.row + after * T.column, T.row, T.column},
                      B + after * ldb, ldb);
    }
}

AVX512_INLINE void solve_right(size_t m, size_t n, struct stored T, double *B, size_t ldb)
{
    size_t i = 0;
    for (; i + ROWS <= m; i += ROWS)
        solve_rows((struct rows){VECTORS, 1, 0xff}, n, T, B + i, ldb);
    if (m - i > (size_t)2 * LANES)
        solve_rows(last_rows(3, m - i), n, T, B + i, ldb);
    else if (m - i > LANES)
        solve_rows(last_rows(2, m - i), n, T, B + i, ldb);
    else if (m > i)
        solve_rows(last_rows(1, m - i), n, T, B + i, ldb);
}

AVX512 void avx512_solve_right_lower_transposed(size_t m, size_t n, const double *L, size_t ldl,
                                                double *B, size_t ldb)
{
    solve_right(m, n, (struct stored){L, ldl, 1}, B, ldb);
}

AVX512 void avx512_solve_right_upper(size_t m, size_t n, const double *U, size_t ldu, double *B,
                                     size_t ldb)
{
    solve_right(m, n, (struct stored){U, 1, ldu}, B, ldb);
}

/* ---- from the left: B := L⁻¹ B, L unit lower triangular ---- */

/* x := x - l b, a column l of L and a row b of B. */
AVX512_INLINE void update_rows(size_t vectors, size_t columns, const double *l, const double *b,
                               size_t ldb, block x)
{
    __m512d left[VECTORS];
#pragma GCC unroll 3
    for (size_t v = 0; v < vectors; v++)
        left[v] = _mm512_loadu_pd(l + v * LANES);
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++) {
        __m512d right = _mm512_set1_pd(b[c * ldb]);
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            x[c][v] = _mm512_fnmadd_pd(left[v], right, x[c][v]);
    }
}

/* Lane `lane` of a vector in all lanes. */
AVX512_INLINE __m512d spread(__m512d a, size_t lane)
{
    return _mm512_permutexvar_pd(_mm512_set1_epi64((long long)lane), a);
}

/* Takes the rows of vector s of x, one after the other, out of those below. */
AVX512_INLINE void eliminate(size_t vectors, size_t columns, size_t s, const double *L, size_t ldl,
                             block x)
{
#pragma GCC unroll 1
    for (size_t k = 0; k < LANES; k++) {
        const double *l = L + (s * LANES + k) * ldl;
        __m512d left[VECTORS];
        left[s] = _mm512_maskz_loadu_pd((__mmask8)(0xfe << k), l + s * LANES);
#pragma GCC unroll 3
        for (size_t v = s + 1; v < vectors; v++)
            left[v] = _mm512_loadu_pd(l + v * LANES);
#pragma GCC unroll 8
        for (size_t c = 0; c < columns; c++) {
            __m512d row = spread(x[c][s], k);
#pragma GCC unroll 3
            for (size_t v = s; v < vectors; v++)
                x[c][v] = _mm512_fnmadd_pd(left[v], row, x[c][v]);
        }
    }
}

/* Rows i … of a few columns of B, given those above; L is the whole triangle. */
AVX512_INLINE void solve_part(size_t vectors, size_t columns, size_t i, const double *L, size_t ldl,
                              double *B, size_t ldb)
{
    block x;
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++) {
            const double *b = B + i + c * ldb + v * LANES;
            x[c][v] = _mm512_loadu_pd(b);
            _mm_prefetch(b + COLUMNS * ldb, _MM_HINT_T0);
        }
    for (size_t k = 0; k < i; k++)
        update_rows(vectors, columns, L + i + k * ldl, B + k, ldb, x);
#pragma GCC unroll 3
    for (size_t s = 0; s < vectors; s++)
        eliminate(vectors, columns, s, L + i + i * ldl, ldl, x);
#pragma GCC unroll 8
    for (size_t c = 0; c < columns; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < vectors; v++)
            _mm512_storeu_pd(B + i + c * ldb + v * LANES, x[c][v]);
}

AVX512_INLINE void solve_left(size_t columns, size_t m, const double *L, size_t ldl, double *B,
                              size_t ldb)
{
    size_t i = 0;
    for (; i + ROWS <= m; i += ROWS)
        solve_part(VECTORS, columns, i, L, ldl, B, ldb);
    if (m - i == (size_t)2 * LANES)
        solve_part(2, columns, i, L, ldl, B, ldb);
    else if (m - i == LANES)
        solve_part(1, columns, i, L, ldl, B, ldb);
}

AVX512 void avx512_solve_left_lower_unit(size_t m, size_t n, const double *L, size_t ldl, double *B,
                                         size_t ldb)
{
    size_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS)
        solve_left(COLUMNS, m, L, ldl, B + j * ldb, ldb);
    for (; j < n; j++)
        solve_left(1, m, L, ldl, B + j * ldb, ldb);
}
#endif
