/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic on sizes and indices that C's own operators lack. */
#ifndef POLLUX_COMMON_SIZES_H
#define POLLUX_COMMON_SIZES_H

#include <stddef.h>
#include <stdint.h>

/** The smaller of two sizes. */
static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/** The larger of two sizes. */
static inline size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/** a / b, rounded up; b >= 1. */
static inline size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/** a + b, or SIZE_MAX if that overflows. */
static inline size_t saturating_add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/** a b, or SIZE_MAX if that overflows. */
static inline size_t saturating_multiply(size_t a, size_t b)
{
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

#endif
