/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of AVX-512F and AVX-512DQ. Only vectors.h includes this file. */
#ifndef POLLUX_KERNELS_VECTORS_AVX512_H
#define POLLUX_KERNELS_VECTORS_AVX512_H

#include <immintrin.h>

/* Doubles in a vector; columns of a block, whose products take 24 of the 32 registers; as many columns of the copied
 * blocks of rows as the second-level cache holds besides what is streamed through it
 * (docs/evaluation/performance.md); the blocks that are copied. */
enum { LANES = 8, COLUMNS = 8, DEPTH = 384, COPIED_BLOCKS = 3 };

/* Elements of a right factor up to which one block of rows at a time is the fastest: two always are here. */
enum { NEAR_ELEMENTS = 0 };

/* Largest order of a triangle to solve with. */
enum { SOLVE_ORDER = 512 };

/* Whether contiguous columns of factors are prefetched by instructions. */
enum { PREFETCH_COLUMNS = 1 };

typedef __m512d vector;
typedef __mmask8 lane_mask;

#define IN_REGISTER(v) "+v"(v)

INLINE vector v_zero(void)
{
    return _mm512_setzero_pd();
}

INLINE vector v_all(double x)
{
    return _mm512_set1_pd(x);
}

INLINE vector v_load(const double *a)
{
    return _mm512_loadu_pd(a);
}

/* 0 in the lanes that are not used, whose memory is not read. */
INLINE vector v_load_lanes(lane_mask used, const double *a)
{
    return _mm512_maskz_loadu_pd(used, a);
}

/* Those of x in the lanes that are not used. */
INLINE vector v_load_over(vector x, lane_mask used, const double *a)
{
    return _mm512_mask_loadu_pd(x, used, a);
}

INLINE void v_store(double *a, vector x)
{
    _mm512_storeu_pd(a, x);
}

INLINE void v_store_aligned(double *a, vector x)
{
    _mm512_store_pd(a, x);
}

INLINE void v_store_lanes(double *a, lane_mask used, vector x)
{
    _mm512_mask_storeu_pd(a, used, x);
}

INLINE vector v_add(vector x, vector y)
{
    return _mm512_add_pd(x, y);
}

INLINE vector v_subtract(vector x, vector y)
{
    return _mm512_sub_pd(x, y);
}

INLINE vector v_multiply(vector x, vector y)
{
    return _mm512_mul_pd(x, y);
}

/* z + x y, rounded once. */
INLINE vector v_add_product(vector x, vector y, vector z)
{
    return _mm512_fmadd_pd(x, y, z);
}

/* z - x y, rounded once. */
INLINE vector v_subtract_product(vector x, vector y, vector z)
{
    return _mm512_fnmadd_pd(x, y, z);
}

INLINE vector v_absolute(vector x)
{
    return _mm512_abs_pd(x);
}

/* The lanes of those used in which x > y. */
INLINE lane_mask v_greater(lane_mask used, vector x, vector y)
{
    return _mm512_mask_cmp_pd_mask(used, x, y, _CMP_GT_OQ);
}

/* y in the lanes of the mask, x in the others. */
INLINE vector v_choose(vector x, lane_mask mask, vector y)
{
    return _mm512_mask_mov_pd(x, mask, y);
}

/* Lane `lane` of a vector in all lanes. */
INLINE vector v_spread(vector x, size_t lane)
{
    return _mm512_permutexvar_pd(_mm512_set1_epi64((long long)lane), x);
}

/* Sums of neighbouring 128-bit pairs of lanes of t, then of u. */
INLINE vector add_pairs(vector t, vector u)
{
    return v_add(_mm512_shuffle_f64x2(t, u, 0x88), _mm512_shuffle_f64x2(t, u, 0xdd));
}

/* Lane i is the sum of the lanes of s[i]. */
INLINE vector v_sums(const vector s[LANES])
{
    vector t[4];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
        t[i] = v_add(_mm512_unpacklo_pd(s[2 * i], s[2 * i + 1]),
                     _mm512_unpackhi_pd(s[2 * i], s[2 * i + 1]));
    return add_pairs(add_pairs(t[0], t[1]), add_pairs(t[2], t[3]));
}

/* Lane i of transposed[j] is lane j of t[i]. */
INLINE void v_transpose(const vector t[LANES], vector transposed[LANES])
{
    vector pairs[LANES], quads[LANES];
#pragma GCC unroll 4
    for (size_t i = 0; i < LANES; i += 2) {
        pairs[i] = _mm512_unpacklo_pd(t[i], t[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_pd(t[i], t[i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < LANES; i += 4)
#pragma GCC unroll 2
        for (size_t odd = 0; odd < 2; odd++) {
            quads[i + odd] = _mm512_shuffle_f64x2(pairs[i + odd], pairs[i + 2 + odd], 0x88);
            quads[i + 2 + odd] = _mm512_shuffle_f64x2(pairs[i + odd], pairs[i + 2 + odd], 0xdd);
        }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        transposed[i] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0x88);
        transposed[i + 4] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0xdd);
    }
}

#endif
