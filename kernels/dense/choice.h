/* SPDX-License-Identifier: BSD-3-Clause
 * Which code the pieces of this folder run: the one place that decides. */
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
