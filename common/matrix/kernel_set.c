/* SPDX-License-Identifier: BSD-3-Clause
 * One word for each. */
#include "common/matrix/kernel_set.h"

#include <stddef.h>

const char *const kernel_set_names[KERNEL_SETS + 1] = {
    [KERNELS_OPENBLAS] = "openblas", [KERNELS_TUNED] = "tuned", [KERNEL_SETS] = NULL};
