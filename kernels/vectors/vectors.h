/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of doubles, as this folder's code uses them: masks, registers, sums. The folder is compiled once for each
 * instruction set, whose operations have the same names (avx2.h, avx512.h, neon.h). */
#ifndef POLLUX_KERNELS_VECTORS_VECTORS_H
#define POLLUX_KERNELS_VECTORS_VECTORS_H

#include <stddef.h>

#include "common/base/sizes.h"

/** For functions whose arguments are constants in each call: these decide which registers they use. With the
 * checks of the sanitizers in them, code inlined like this takes minutes to compile. */
#ifdef POLLUX_SANITIZED
#define INLINE static inline __attribute__((unused))
#else
#define INLINE static inline __attribute__((always_inline))
#endif

/** The name of a function in the instruction set that is compiled for. */
#if defined(__AVX512F__)
#define ISA(name) avx512_##name
#include "kernels/vectors/avx512.h"
#elif defined(__aarch64__)
#define ISA(name) neon_##name
#include "kernels/vectors/neon.h"
#else
#define ISA(name) avx2_##name
#include "kernels/vectors/avx2.h"
#endif

/* Doubles in a cache line; lanes of a whole vector. */
enum { LINE = 8, ALL_LANES = (1 << LANES) - 1 };

/* The lanes whose bits are set, of those that a vector has. */
INLINE lane_mask lanes_of(unsigned bits)
{
    return (lane_mask)(bits & ALL_LANES);
}

/* Lanes 0 … count-1, of a vector that may be used in part. */
INLINE lane_mask lanes(size_t count)
{
    return lanes_of((1u << count) - 1);
}

/* 1 in these lanes, 0 in the others. */
INLINE vector v_ones(lane_mask used)
{
    return v_choose(v_zero(), used, v_all(1));
}

/* Prefetch what is at an address into a cache. */
INLINE void to_first_level(const double *a)
{
    __builtin_prefetch(a, 0, 3);
}

INLINE void to_second_level(const double *a)
{
    __builtin_prefetch(a, 0, 2);
}

/* Keeps a vector that several operations use in a register. gcc 12 would read it from memory in each of
 * them, and reads would then be the bottleneck. */
INLINE vector in_register(vector v)
{
    __asm__("" : IN_REGISTER(v));
    return v;
}

/* Computes a sum before anything that follows is loaded. clang 22 would load the factors of all columns
 * first, and would then have too few registers for the sums. With the registers of AVX2, gcc 12 does so only where it is
 * told to. */
INLINE vector in_turn(vector sum)
{
#if defined(__AVX512F__) || defined(__aarch64__) || defined(__clang__)
    __asm__ volatile("" : IN_REGISTER(sum));
#endif
    return sum;
}

#endif
