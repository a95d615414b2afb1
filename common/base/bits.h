/* SPDX-License-Identifier: BSD-3-Clause
 * The representation of numbers. */
#ifndef POLLUX_COMMON_BITS_H
#define POLLUX_COMMON_BITS_H

#include <stdint.h>
#include <string.h>

/** The bit pattern of a number. */
static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
