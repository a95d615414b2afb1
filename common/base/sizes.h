/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic on sizes and indices that C's own operators lack. */
#ifndef POLLUX_COMMON_SIZES_H
#define POLLUX_COMMON_SIZES_H

#include <stddef.h>

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

#endif
