/* SPDX-License-Identifier: BSD-3-Clause
 * The kernel sets: whose code computes what the tile operations do (docs/method.md). */
#ifndef POLLUX_COMMON_KERNEL_SET_H
#define POLLUX_COMMON_KERNEL_SET_H

enum kernel_set {
    KERNELS_OPENBLAS, /**< BLAS and LAPACK routines of OpenBLAS; the default */
    KERNELS_TUNED,    /**< the suite's own code, for processors with AVX-512 */
    KERNEL_SETS
};

/** Their names on command lines and in records, in that order; NULL ends the list. */
extern const char *const kernel_set_names[KERNEL_SETS + 1];

#endif
