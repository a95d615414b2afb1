/* SPDX-License-Identifier: BSD-3-Clause
 * A few Householder reflectors, one after the other: the base case of the recursion in
 * kernels/dense/reflectors.h. */
#ifndef POLLUX_KERNELS_DENSE_HOUSEHOLDER_H
#define POLLUX_KERNELS_DENSE_HOUSEHOLDER_H

#include "kernels/dense/reflectors.h"

/** Most columns at once: as many lanes as a vector of AVX-512 has. */
enum { HOUSEHOLDER_COLUMNS = 8 };

/** As reflectors_factor, for at most HOUSEHOLDER_COLUMNS columns. Safe against overflow and underflow, as LAPACK's
 * dlarfg is. */
void householder_columns(struct qr_panel p, struct tile T);

#endif
