/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of aarch64, two registers each: lanes and blocks as in avx2.h, and its order of operations, so that results are
 * the same bits. Only vectors.h includes this file. */
#ifndef POLLUX_KERNELS_VECTORS_NEON_H
#define POLLUX_KERNELS_VECTORS_NEON_H

#include <arm_neon.h>
#include <stdint.h>

/* Products of a block take 24 of the 32 registers. */
enum { LANES = 4, COLUMNS = 4, DEPTH = 256, COPIED_BLOCKS = 6 };

/* Elements of a right factor up to which one block of rows at a time is the fastest: not measured here. */
enum { NEAR_ELEMENTS = 0 };

/* Largest order of a triangle to solve with. */
enum { SOLVE_ORDER = 128 };

/* Whether contiguous columns of factors are prefetched by instructions. */
enum { PREFETCH_COLUMNS = 1 };

typedef float64x2_t half;
typedef struct {
    half low, high;
} vector;
typedef uint8_t lane_mask;

#define IN_REGISTER(v) "+w"((v).low), "+w"((v).high)

/* ---- halves: lanes 0 and 1 of a mask ---- */

/* All bits in each lane of a mask. */
INLINE uint64x2_t half_bits(lane_mask mask)
{
    const uint64x2_t bits = {1, 2};
    return vtstq_u64(vdupq_n_u64(mask), bits);
}

INLINE half half_load_over(half x, lane_mask used, const double *a)
{
    if ((used & 3) == 3)
        return vld1q_f64(a);
    if (used & 1)
        x = vld1q_lane_f64(a, x, 0);
    return used & 2 ? vld1q_lane_f64(a + 1, x, 1) : x;
}

INLINE void half_store_lanes(double *a, lane_mask used, half x)
{
    if ((used & 3) == 3)
        vst1q_f64(a, x);
    else if (used & 1)
        vst1q_lane_f64(a, x, 0);
    else if (used & 2)
        vst1q_lane_f64(a + 1, x, 1);
}

INLINE lane_mask half_greater(half x, half y)
{
    uint64x2_t greater = vcgtq_f64(x, y);
    return (lane_mask)((vgetq_lane_u64(greater, 0) & 1) | (vgetq_lane_u64(greater, 1) & 2));
}

/* ---- vectors ---- */

INLINE vector v_all(double x)
{
    return (vector){vdupq_n_f64(x), vdupq_n_f64(x)};
}

INLINE vector v_zero(void)
{
    return v_all(0);
}

INLINE vector v_load(const double *a)
{
    return (vector){vld1q_f64(a), vld1q_f64(a + 2)};
}

INLINE void v_store(double *a, vector x)
{
    vst1q_f64(a, x.low);
    vst1q_f64(a + 2, x.high);
}

INLINE void v_store_aligned(double *a, vector x)
{
    v_store(a, x);
}

/* y in the lanes of the mask, x in the others. */
INLINE vector v_choose(vector x, lane_mask mask, vector y)
{
    return (vector){vbslq_f64(half_bits(mask), y.low, x.low),
                    vbslq_f64(half_bits(mask >> 2), y.high, x.high)};
}

/* Those of x in the lanes that are not used, whose memory is not read. */
INLINE vector v_load_over(vector x, lane_mask used, const double *a)
{
    return (vector){half_load_over(x.low, used, a), half_load_over(x.high, used >> 2, a + 2)};
}

/* 0 in the lanes that are not used. */
INLINE vector v_load_lanes(lane_mask used, const double *a)
{
    return v_load_over(v_zero(), used, a);
}

INLINE void v_store_lanes(double *a, lane_mask used, vector x)
{
    half_store_lanes(a, used, x.low);
    half_store_lanes(a + 2, used >> 2, x.high);
}

INLINE vector v_add(vector x, vector y)
{
    return (vector){vaddq_f64(x.low, y.low), vaddq_f64(x.high, y.high)};
}

INLINE vector v_subtract(vector x, vector y)
{
    return (vector){vsubq_f64(x.low, y.low), vsubq_f64(x.high, y.high)};
}

INLINE vector v_multiply(vector x, vector y)
{
    return (vector){vmulq_f64(x.low, y.low), vmulq_f64(x.high, y.high)};
}

/* z + x y, rounded once. */
INLINE vector v_add_product(vector x, vector y, vector z)
{
    return (vector){vfmaq_f64(z.low, x.low, y.low), vfmaq_f64(z.high, x.high, y.high)};
}

/* z - x y, rounded once. */
INLINE vector v_subtract_product(vector x, vector y, vector z)
{
    return (vector){vfmsq_f64(z.low, x.low, y.low), vfmsq_f64(z.high, x.high, y.high)};
}

INLINE vector v_absolute(vector x)
{
    return (vector){vabsq_f64(x.low), vabsq_f64(x.high)};
}

/* The lanes of those used in which x > y. */
INLINE lane_mask v_greater(lane_mask used, vector x, vector y)
{
    return (lane_mask)(used & (half_greater(x.low, y.low) | half_greater(x.high, y.high) << 2));
}

/* Lane `lane` of a vector in all lanes. */
INLINE vector v_spread(vector x, size_t lane)
{
    half of = lane < 2 ? x.low : x.high;
    return v_all(lane % 2 ? vgetq_lane_f64(of, 1) : vgetq_lane_f64(of, 0));
}

/* Lane i is the sum of the lanes of s[i]. */
INLINE vector v_sums(const vector s[LANES])
{
    return (vector){vaddq_f64(vpaddq_f64(s[0].low, s[1].low), vpaddq_f64(s[0].high, s[1].high)),
                    vaddq_f64(vpaddq_f64(s[2].low, s[3].low), vpaddq_f64(s[2].high, s[3].high))};
}

/* Lane i of transposed[j] is lane j of t[i]. */
INLINE void v_transpose(const vector t[LANES], vector transposed[LANES])
{
    transposed[0] = (vector){vtrn1q_f64(t[0].low, t[1].low), vtrn1q_f64(t[2].low, t[3].low)};
    transposed[1] = (vector){vtrn2q_f64(t[0].low, t[1].low), vtrn2q_f64(t[2].low, t[3].low)};
    transposed[2] = (vector){vtrn1q_f64(t[0].high, t[1].high), vtrn1q_f64(t[2].high, t[3].high)};
    transposed[3] = (vector){vtrn2q_f64(t[0].high, t[1].high), vtrn2q_f64(t[2].high, t[3].high)};
}

#endif
