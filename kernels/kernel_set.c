/* SPDX-License-Identifier: BSD-3-Clause
 * The processor decides, and the build option POLLUX_PORTABLE_KERNELS. */
#include "kernels/avx512/product.h"
#include "kernels/kernels.h"

const char *kernel_set(void)
{
    return avx512_usable() ? "avx512" : "blas";
}
