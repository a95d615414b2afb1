/* SPDX-License-Identifier: BSD-3-Clause
 * An addition of two registers takes one cycle on every processor of today, and cannot begin before the one whose sum
 * it needs; the loop around them runs beside the chain. SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014) gives the random numbers. */
#include "micro/regions/work.h"

#include <math.h>

#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/sizes.h"

enum { CHAIN = 8 }; /* additions of a round */

/* One addition that the compiler can neither leave out nor merge with others. */
static inline size_t add(size_t sum, size_t one)
{
    sum += one;
    __asm__ volatile("" : "+r"(sum));
    return sum;
}

void work_for(size_t cycles)
{
    size_t sum = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    for (size_t round = 0; round < cycles / CHAIN; round++)
        for (size_t i = 0; i < CHAIN; i++)
            sum = add(sum, one);
    for (size_t i = 0; i < cycles % CHAIN; i++)
        sum = add(sum, one);
}

double work_cycle_ns(void)
{
    enum { ROUNDS = 9, CYCLES = 20000 };
    double shortest = INFINITY;
    for (size_t r = 0; r < ROUNDS; r++) {
        int64_t begin = now_ns(CLOCK_MONOTONIC);
        work_for(CYCLES);
        shortest = fmin(shortest, (double)(now_ns(CLOCK_MONOTONIC) - begin) / (double)CYCLES);
    }
    return shortest;
}

/* A number between 0 and 1, neither of them. */
static double uniform(uint64_t seed, size_t index)
{
    return ((double)(random_bits(seed, index) >> 11) + 0.5) * 0x1p-53;
}

static double weight(uint64_t seed, size_t alpha, size_t index)
{
    return pow(uniform(seed, index), (double)alpha);
}

void work_distribute(uint64_t seed, size_t alpha, size_t mean, size_t outer, size_t *cycles)
{
    double sum = 0.0, before = 0.0;
    size_t given = 0;
    for (size_t i = 0; i < outer; i++)
        sum += weight(seed, alpha, i);
    for (size_t i = 0; i < outer; i++) {
        before += weight(seed, alpha, i);
        double share = i + 1 < outer ? before / sum : 1.0;
        size_t until = (size_t)llround(share * (double)mean * (double)outer);
        cycles[i] = until - given;
        given = until;
    }
}

double work_bound(const size_t *cycles, size_t outer, size_t inner, size_t processors)
{
    double all = 0.0, longest = 0.0;
    for (size_t i = 0; i < outer; i++) {
        all += (double)cycles[i] * (double)inner;
        longest = fmax(longest, (double)cycles[i]);
    }
    return fmax(all / (double)larger(processors, 1), longest);
}
