/* SPDX-License-Identifier: BSD-3-Clause
 * The one place that decides which code the functions of this folder run. */
#ifndef POLLUX_KERNELS_DENSE_CHOICE_H
#define POLLUX_KERNELS_DENSE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/matrix/kernel_set.h"

/** Why this set cannot run here, as the end of a sentence; NULL if it can. */
const char *kernel_set_missing(enum kernel_set set);

/** From now on all kernels of the process run this set, which must not be missing; before the first call,
 * they run KERNELS_OPENBLAS. No kernel may be running. */
void kernel_set_use(enum kernel_set set);

/** Whether kernels/avx512/ runs where it has code for a shape. Builds without it have the constant false,
 * so that its functions are not called. */
#ifdef POLLUX_AVX512
bool use_avx512(void);
#else
#define use_avx512() false
#endif

/** The most multiplications, m n k, of a product whose operands OpenBLAS' dgemm reads where they are, without
 * packing them first; SIZE_MAX if it does not treat small products specially on this processor, or if
 * kernels/avx512/ runs, which leaves little to dgemm. */
size_t openblas_unpacked_product(void);

#endif
