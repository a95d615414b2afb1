/* SPDX-License-Identifier: BSD-3-Clause
 * The one table of what is best for which core; docs/evaluation/performance.md has the measurements. */
#include "kernels/dense/openblas_core.h"

#include <cblas.h>
#include <stdatomic.h>
#include <stdint.h>
#include <strings.h>

/* The kernels for AVX-512 read the operands of small products in place; their limit is that of OpenBLAS'
 * kernel/x86_64/dgemm_small_kernel_permit_skylakex.c. All others pack. */
enum { SMALL_PRODUCT = 1000000 };

#define ALWAYS SIZE_MAX

/* name, unpacked_product, solve_left, solve_right, panel, symmetric, copy_transposed */
static const struct openblas_core cores[] = {
    {"SkylakeX", SMALL_PRODUCT, 8, 8, 32, 64, true},
    {"Cooperlake", SMALL_PRODUCT, 8, 8, 32, 64, true},
    {"SapphireRapids", SMALL_PRODUCT, 8, 8, 32, 64, true},
    {"Haswell", SIZE_MAX, 64, 32, ALWAYS, 64, false},
    {"Zen", SIZE_MAX, 64, 32, ALWAYS, ALWAYS, false},
    /* as found on Sandybridge and Nehalem */
    {NULL, SIZE_MAX, 64, 32, ALWAYS, ALWAYS, false},
};

static const struct openblas_core *find(const char *name)
{
    const struct openblas_core *core = cores;
    while (core->name && strcasecmp(core->name, name) != 0)
        core++;
    return core;
}

/* Of other libraries nothing is known: they are called as OpenBLAS is on cores without a row. */
static const char *core_name(void)
{
#ifdef POLLUX_BLAS_IS_OPENBLAS
    return openblas_get_corename();
#else
    return "";
#endif
}

const struct openblas_core *openblas_core(void)
{
    static _Atomic(const struct openblas_core *) known; /* NULL: OpenBLAS has not been asked yet */
    const struct openblas_core *core = atomic_load_explicit(&known, memory_order_relaxed);
    if (!core) {
        core = find(core_name());
        atomic_store_explicit(&known, core, memory_order_relaxed);
    }
    return core;
}
