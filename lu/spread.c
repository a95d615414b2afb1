/* SPDX-License-Identifier: BSD-3-Clause
 * LU `spread`: the graph of `late`, its panels factored where their tiles are. */
#include "lu/variants.h"

void lu_spread(struct problem *p)
{
    lu_late_with(p, lu_getrf_spread);
}
