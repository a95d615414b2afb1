/* SPDX-License-Identifier: BSD-3-Clause
 * The name in records for the choice of kernels/dense/. */
#include "kernels/dense/choice.h"
#include "kernels/kernels.h"

const char *kernel_set(void)
{
    return use_avx512() ? "avx512" : "blas";
}
