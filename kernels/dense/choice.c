/* SPDX-License-Identifier: BSD-3-Clause
 * The set is the same for all kernels of a process and chosen before its first task. Kernels therefore need no
 * argument for it, and reading it takes no time that could be measured. */
#include "kernels/dense/choice.h"

#include <stdint.h>

#include "kernels/dense/openblas_core.h"

static const struct vector_code *code; /* NULL: OpenBLAS alone */

const struct vector_code *own_code(void)
{
    return code;
}

#ifdef POLLUX_VECTORS
static const struct vector_code *const codes[KERNELS_ISAS + 1] = {VECTOR_CODES,
                                                                  [KERNELS_ISAS] = NULL};

const char *kernel_set_missing(enum kernel_set set)
{
    return set == KERNELS_BLAS ? NULL : kernels_isa_missing();
}

void kernel_set_use(enum kernel_set set)
{
    code = set == KERNELS_TUNED ? codes[kernels_isa()] : NULL;
}
#else
const char *kernel_set_missing(enum kernel_set set)
{
    return set == KERNELS_BLAS ? NULL
                               : "it is for x86-64 processors with AVX2 and FMA and for aarch64";
}

void kernel_set_use(enum kernel_set set)
{
    (void)set;
}
#endif

size_t openblas_unpacked_product(void)
{
    return own_code() ? SIZE_MAX : openblas_core()->unpacked_product;
}
