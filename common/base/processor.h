/* SPDX-License-Identifier: BSD-3-Clause
 * What the processor says of itself: all that differs from one architecture to another, but for the kernels of
 * kernels/vectors. */
#ifndef POLLUX_COMMON_BASE_PROCESSOR_H
#define POLLUX_COMMON_BASE_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>

enum processor_feature {
    PROCESSOR_SSE, /* of every x86-64 */
    PROCESSOR_AVX,
    PROCESSOR_AVX2,      /* with FMA */
    PROCESSOR_AVX512,    /* F and DQ */
    PROCESSOR_AVX512_VL, /* F, DQ, BW and VL */
    PROCESSOR_NEON       /* of every aarch64 */
};

/* False of another architecture's. */
bool processor_has(enum processor_feature feature);

bool processor_is_amd(void);

/* Its name, and its features, which are the same on all cores of a machine; cut to `size`. */
void processor_describe(char *text, size_t size);

/* Tells the processor that this thread waits in a loop, where there is such an instruction. */
static inline void processor_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
