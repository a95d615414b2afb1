/* SPDX-License-Identifier: BSD-3-Clause
 * One word for each. */
#include "common/matrix/kernel_set.h"

#include <stddef.h>

const char *const kernel_set_names[KERNEL_SETS + 1] = {[KERNELS_OPENBLAS] = "openblas",
                                                       [KERNELS_TUNED] = "tuned",
                                                       [KERNELS_LOOPS] = "loops",
                                                       [KERNELS_FFTW] = "fftw",
                                                       [KERNEL_SETS] = NULL};

const char *const kernel_set_owners[KERNEL_SETS] = {[KERNELS_OPENBLAS] = "OpenBLAS'",
                                                    [KERNELS_TUNED] = "the suite's own for AVX-512",
                                                    [KERNELS_LOOPS] = "the benchmark's own loops",
                                                    [KERNELS_FFTW] = "FFTW's"};
