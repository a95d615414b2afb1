/* SPDX-License-Identifier: BSD-3-Clause
 * The variants of LU, private to this folder. */
#ifndef POLLUX_LU_VARIANTS_H
#define POLLUX_LU_VARIANTS_H

#include "lu/lu.h"

extern const struct benchmark lu;

void lu_seq(struct problem *p);
void lu_forkjoin(struct problem *p);
void lu_depend(struct problem *p);
void lu_lean(struct problem *p);
void lu_multidep(struct problem *p);
void lu_late(struct problem *p);
void lu_spread(struct problem *p);
void lu_ahead(struct problem *p);
void lu_column_tasks(struct problem *p);
void lu_nopiv(struct problem *p);

/** The graph of `late` with such panels. */
void lu_late_with(struct problem *p, void (*panel)(struct problem *p, size_t k));

/** Factors panel k with nested tasks, and waits for them. Same meaning as lu_getrf; the operations
 * are grouped differently, so the last bits differ. */
void lu_getrf_tasks(struct problem *p, size_t k);

#endif
