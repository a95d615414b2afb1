/* SPDX-License-Identifier: BSD-3-Clause
 * Their storage, compiled for every processor. */
#include "kernels/vectors/copied_rows.h"

_Thread_local double copied_rows[COPIED_DOUBLES] __attribute__((aligned(64)));
