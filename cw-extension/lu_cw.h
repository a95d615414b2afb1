/* SPDX-License-Identifier: BSD-3-Clause
 * LU with concurrent writes. */
#ifndef POLLUX_CW_EXTENSION_LU_CW_H
#define POLLUX_CW_EXTENSION_LU_CW_H

#include "common/run/benchmark.h"

extern const struct benchmark lu_cw;

void lu_cw_submit(struct problem *p);
void lu_cw_lean(struct problem *p);
void lu_cw_readers(struct problem *p);

#endif
