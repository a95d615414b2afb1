/* SPDX-License-Identifier: BSD-3-Clause
 * Operation counts of the factorizations, the parts of the kernels' own counts, and the bytes that several kernels
 * share. A multiplication, addition, division and square root count one each. */
#ifndef POLLUX_KERNELS_FLOPS_H
#define POLLUX_KERNELS_FLOPS_H

#include <stdint.h>

#include "common/execution/kernel.h"

/** Sources of counts. The kernels of Cholesky and LU follow the first, so that over a factorization they
 * add up to its count exactly. Those of QR follow the others, to the order of NB² IB: they include the
 * T factors, so that their sum is slightly above QR's standard count. */
extern const char LAWN_41[], TILED_QR[], TREE_QR[];

/* LAPACK Working Note 41, appendix C. */

/** Cholesky of an n × n matrix: n³/3 + n²/2 + n/6 (m is ignored). */
double flops_potrf(double m, double n);

/** LU of an m × n matrix. */
double flops_getrf(double m, double n);

/** Its count as text: with a the longer and b the shorter of m and n. */
#define GETRF_COUNT "b^2 (a - b/3) - b^2/2 + 5 b/6, a = max(m, n), b = min(m, n)"

/** QR of an m × n matrix. */
double flops_geqrf(double m, double n);

/** Bytes of a rows × columns matrix. */
static inline double matrix_bytes(uint32_t rows, uint32_t columns)
{
    return (double)sizeof(double) * rows * columns;
}

/* Of a call, which writes an m × n tile. */

/** LU of the tile. */
double flops_of_getrf(struct call_sizes s);

/** A product of m × k and k × n tiles, added to it. */
double flops_of_product(struct call_sizes s);
double bytes_of_product(struct call_sizes s);

/** The tile alone. */
double bytes_of_matrix(struct call_sizes s);

/** The tile, read as well as written, or copied. */
double bytes_of_copy(struct call_sizes s);

/** k rows of the tile, read and written. */
double bytes_of_exchange(struct call_sizes s);

/** The tile, and the m × k one that it is updated with. */
double bytes_of_update(struct call_sizes s);

/** The tile, and an n × n triangle. */
double bytes_of_solve(struct call_sizes s);

#endif
