/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers that depend on a seed and an index alone, so that they are the same on every thread and machine. */
#ifndef POLLUX_COMMON_RANDOM_H
#define POLLUX_COMMON_RANDOM_H

#include <stdint.h>

/** Number `index` of the sequence of a seed, 64 random bits: SplitMix64 (Steele, Lea, Flood, "Fast splittable
 *  pseudorandom number generators", OOPSLA 2014). */
static inline uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
