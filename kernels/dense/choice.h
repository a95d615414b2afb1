/* SPDX-License-Identifier: BSD-3-Clause
 * The one place that decides which code the functions of this folder run. */
#ifndef POLLUX_KERNELS_DENSE_CHOICE_H
#define POLLUX_KERNELS_DENSE_CHOICE_H

#include <stdbool.h>

/** Whether kernels/avx512/ runs where it has code for a shape. Builds without it have the constant false,
 * so that its functions are not called. */
#ifdef POLLUX_AVX512
bool use_avx512(void);
#else
#define use_avx512() false
#endif

#endif
