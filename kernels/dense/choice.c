/* SPDX-License-Identifier: BSD-3-Clause
 * It depends on the processor and on the build option POLLUX_PORTABLE_KERNELS. */
#include "kernels/dense/choice.h"

#ifdef POLLUX_AVX512
bool use_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif
