/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of AVX2 and FMA. Only vectors.h includes this file. */
#ifndef POLLUX_KERNELS_VECTORS_AVX2_H
#define POLLUX_KERNELS_VECTORS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

/* As in avx512.h: products of a block take 12 of the 16 registers. */
enum { LANES = 4, COLUMNS = 4, DEPTH = 256, COPIED_BLOCKS = 6 };

/* Elements of a right factor up to which one block of rows at a time is the fastest. */
enum { NEAR_ELEMENTS = 20000 };

/* Largest order of a triangle to solve with. */
enum { SOLVE_ORDER = 128 };

/* Whether contiguous columns of factors are prefetched by instructions, which on Zen 3 cost more than they gain. */
enum { PREFETCH_COLUMNS = 0 };

typedef __m256d vector;
typedef uint8_t lane_mask;

#define IN_REGISTER(v) "+v"(v)

/* A sign bit in each lane of a mask. */
INLINE __m256i signs_of(lane_mask mask)
{
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bits), bits);
}

INLINE vector v_zero(void)
{
    return _mm256_setzero_pd();
}

INLINE vector v_all(double x)
{
    return _mm256_set1_pd(x);
}

INLINE vector v_load(const double *a)
{
    return _mm256_loadu_pd(a);
}

INLINE void v_store(double *a, vector x)
{
    _mm256_storeu_pd(a, x);
}

INLINE void v_store_aligned(double *a, vector x)
{
    _mm256_store_pd(a, x);
}

/* y in the lanes of the mask, x in the others. */
INLINE vector v_choose(vector x, lane_mask mask, vector y)
{
    return _mm256_blendv_pd(x, y, _mm256_castsi256_pd(signs_of(mask)));
}

/* 0 in the lanes that are not used, whose memory is not read. */
INLINE vector v_load_lanes(lane_mask used, const double *a)
{
    return used == 0xf ? v_load(a) : _mm256_maskload_pd(a, signs_of(used));
}

/* Those of x in the lanes that are not used. */
INLINE vector v_load_over(vector x, lane_mask used, const double *a)
{
    return v_choose(x, used, v_load_lanes(used, a));
}

INLINE void v_store_lanes(double *a, lane_mask used, vector x)
{
    if (used == 0xf)
        v_store(a, x);
    else
        _mm256_maskstore_pd(a, signs_of(used), x);
}

INLINE vector v_add(vector x, vector y)
{
    return _mm256_add_pd(x, y);
}

INLINE vector v_subtract(vector x, vector y)
{
    return _mm256_sub_pd(x, y);
}

INLINE vector v_multiply(vector x, vector y)
{
    return _mm256_mul_pd(x, y);
}

/* z + x y, rounded once. */
INLINE vector v_add_product(vector x, vector y, vector z)
{
    return _mm256_fmadd_pd(x, y, z);
}

/* z - x y, rounded once. */
INLINE vector v_subtract_product(vector x, vector y, vector z)
{
    return _mm256_fnmadd_pd(x, y, z);
}

INLINE vector v_absolute(vector x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

/* The lanes of those used in which x > y. */
INLINE lane_mask v_greater(lane_mask used, vector x, vector y)
{
    return (lane_mask)(used & _mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_GT_OQ)));
}

/* Lane `lane` of a vector in all lanes. */
INLINE vector v_spread(vector x, size_t lane)
{
    const __m256i halves = _mm256_add_epi32(_mm256_set1_epi32((int)(2 * lane)),
                                            _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1));
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(x), halves));
}

/* Lane i is the sum of the lanes of s[i]. */
INLINE vector v_sums(const vector s[LANES])
{
    vector t = v_add(_mm256_unpacklo_pd(s[0], s[1]), _mm256_unpackhi_pd(s[0], s[1]));
    vector u = v_add(_mm256_unpacklo_pd(s[2], s[3]), _mm256_unpackhi_pd(s[2], s[3]));
    return v_add(_mm256_permute2f128_pd(t, u, 0x20), _mm256_permute2f128_pd(t, u, 0x31));
}

/* Lane i of transposed[j] is lane j of t[i]. */
INLINE void v_transpose(const vector t[LANES], vector transposed[LANES])
{
    vector even01 = _mm256_unpacklo_pd(t[0], t[1]), odd01 = _mm256_unpackhi_pd(t[0], t[1]);
    vector even23 = _mm256_unpacklo_pd(t[2], t[3]), odd23 = _mm256_unpackhi_pd(t[2], t[3]);
    transposed[0] = _mm256_permute2f128_pd(even01, even23, 0x20);
    transposed[1] = _mm256_permute2f128_pd(odd01, odd23, 0x20);
    transposed[2] = _mm256_permute2f128_pd(even01, even23, 0x31);
    transposed[3] = _mm256_permute2f128_pd(odd01, odd23, 0x31);
}

#endif
