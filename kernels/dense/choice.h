/* SPDX-License-Identifier: BSD-3-Clause
 * The one place that decides which code the functions of this folder run. */
#ifndef POLLUX_KERNELS_DENSE_CHOICE_H
#define POLLUX_KERNELS_DENSE_CHOICE_H

#include <stddef.h>

#include "common/matrix/kernel_set.h"
#include "kernels/vectors/code.h"

/** Why this set cannot run here, as the end of a sentence; NULL if it can. */
const char *kernel_set_missing(enum kernel_set set);

/** From now on all kernels of the process run this set, which must not be missing; before the first call,
 * they run KERNELS_BLAS. No kernel may be running. */
void kernel_set_use(enum kernel_set set);

/** The code of kernels/vectors/ that runs where it has code for a shape; NULL if none does, as in builds without
 * it. */
const struct vector_code *own_code(void);

/** The most multiplications, m n k, of a product whose operands OpenBLAS' dgemm reads where they are, without
 * packing them first; SIZE_MAX if it does not treat small products specially on this processor, or if
 * kernels/vectors/ runs, which leaves little to dgemm. */
size_t openblas_unpacked_product(void);

#endif
