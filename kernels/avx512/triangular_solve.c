/* SPDX-License-Identifier: BSD-3-Clause
 * Triangular solves for processors with AVX-512: blocks of 24 × 8 elements stay in 24 registers from
 * their first update to their solution. */
#include "kernels/avx512/triangular_solve.h"

#ifdef __x86_64__
#include "kernels/avx512/block.h"

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

_Static_assert(AVX512_SOLVE_ORDER <= COPIED_BLOCKS * DEPTH, "a copy holds all columns of 24 rows");

/* Copies columns first … of the rows that are solved. */
AVX512_INLINE void copy_solved(struct rows rows, size_t first, block x)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < COLUMNS; c++)
#pragma GCC unroll 3
        for (size_t v = 0; v < rows.vectors; v++)
            _mm512_store_pd(avx512_copied + (first + c) * ROWS + v * LANES, x[c][v]);
}

/* At most 24 rows of B, from the first column to the last; `below` says that there are more, which
 * are fetched. */
AVX512_INLINE void solve_rows(struct rows rows, int below, size_t n, struct stored T, double *B,
                              size_t ldb)
{
    for (size_t j = 0; j < n; j += COLUMNS) {
        struct fetched next = {B + ROWS + j * ldb, ldb, below ? COLUMNS : 0};
        block x;
        block_product(PRODUCT_SUBTRACT, rows, COLUMNS, j, (struct left){avx512_copied, ROWS, NULL},
                      part_of(T, 0, j), next, B + j * ldb, ldb, x);
        solve_block(rows.vectors, part_of(T, j, j), x);
        copy_solved(rows, j, x);
        store_block(rows, COLUMNS, B + j * ldb, ldb, x);
    }
}

AVX512_INLINE void solve_right(size_t m, size_t n, struct stored T, double *B, size_t ldb)
{
    for (size_t i = 0; i < m; i += ROWS)
        WITH_ROWS(m - i, solve_rows(rows, m - i > ROWS, n, T, B + i, ldb));
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
