/* SPDX-License-Identifier: BSD-3-Clause
 * What the AVX-512 code shares: masks, registers, sums. */
#ifndef POLLUX_KERNELS_AVX512_VECTORS_H
#define POLLUX_KERNELS_AVX512_VECTORS_H

#include <immintrin.h>
#include <stddef.h>

#include "common/base/sizes.h"

/** For functions whose arguments are constants in each call: these decide which registers they use. With the
 * checks of the sanitizers in them, code inlined like this takes minutes to compile. */
#ifdef POLLUX_SANITIZED
#define INLINE static inline __attribute__((unused))
#else
#define INLINE static inline __attribute__((always_inline))
#endif

/* Doubles in a vector. */
enum { LANES = 8 };

/* Lanes 0 … count-1, of a vector that may be used in part. */
INLINE __mmask8 lanes(size_t count)
{
    return (__mmask8)((1u << count) - 1);
}

/* Keeps a vector that several operations use in a register. gcc 12 would read it from memory in each of
 * them, and reads would then be the bottleneck. */
INLINE __m512d in_register(__m512d v)
{
    __asm__("" : "+v"(v));
    return v;
}

/* Computes a sum before anything that follows is loaded. clang 22 would load the factors of all columns
 * first, and would then have too few registers for the sums. */
INLINE __m512d in_turn(__m512d sum)
{
    __asm__ volatile("" : "+v"(sum));
    return sum;
}

/* Sums of neighbouring 128-bit pairs of lanes of t, then of u. */
INLINE __m512d add_pairs(__m512d t, __m512d u)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(t, u, 0x88), _mm512_shuffle_f64x2(t, u, 0xdd));
}

/* Lane i is the sum of the lanes of s[i]. */
INLINE __m512d sums(const __m512d s[LANES])
{
    __m512d t[4];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
        t[i] = _mm512_add_pd(_mm512_unpacklo_pd(s[2 * i], s[2 * i + 1]),
                             _mm512_unpackhi_pd(s[2 * i], s[2 * i + 1]));
    return add_pairs(add_pairs(t[0], t[1]), add_pairs(t[2], t[3]));
}

#endif
