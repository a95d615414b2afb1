/* SPDX-License-Identifier: BSD-3-Clause
 * The set is the same for all kernels of a process and chosen before its first task. Kernels therefore need no
 * argument for it, and reading it takes no time that could be measured. */
#include "kernels/dense/choice.h"

#include <cblas.h>
#include <stdatomic.h>
#include <stdint.h>
#include <strings.h>

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

/* The limit is that of OpenBLAS' kernel/x86_64/dgemm_small_kernel_permit_skylakex.c. */
static size_t unpacked_product_of(const char *core)
{
    static const char *const cores[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (strcasecmp(core, cores[i]) == 0)
            return 1000000;
    return SIZE_MAX;
}

size_t openblas_unpacked_product(void)
{
    static atomic_size_t known; /* 0: OpenBLAS has not been asked yet */
    if (use_avx512())
        return SIZE_MAX;
    size_t limit = atomic_load_explicit(&known, memory_order_relaxed);
    if (limit == 0) {
        limit = unpacked_product_of(openblas_get_corename());
        atomic_store_explicit(&known, limit, memory_order_relaxed);
    }
    return limit;
}
