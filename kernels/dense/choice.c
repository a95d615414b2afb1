/* SPDX-License-Identifier: BSD-3-Clause
 * The set is the same for all kernels of a process and chosen before its first task. Kernels therefore need no
 * argument for it, and reading it takes no time that could be measured. */
#include "kernels/dense/choice.h"

#include <stdint.h>

#include "kernels/dense/openblas_core.h"

#ifdef POLLUX_AVX512
static bool avx512;

bool use_avx512(void)
{
    return avx512;
}

const char *kernel_set_missing(enum kernel_set set)
{
    bool found = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return set == KERNELS_OPENBLAS || found
               ? NULL
               : "it is for processors with AVX-512F and AVX-512DQ, and this one lacks them";
}

void kernel_set_use(enum kernel_set set)
{
    avx512 = set == KERNELS_TUNED;
}
#else
const char *kernel_set_missing(enum kernel_set set)
{
    return set == KERNELS_OPENBLAS ? NULL : "it is for x86-64 processors with AVX-512";
}

void kernel_set_use(enum kernel_set set)
{
    (void)set;
}
#endif

size_t openblas_unpacked_product(void)
{
    return use_avx512() ? SIZE_MAX : openblas_core()->unpacked_product;
}
