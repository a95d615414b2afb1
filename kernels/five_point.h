/* SPDX-License-Identifier: BSD-3-Clause
 * The five-point stencil: one Jacobi sweep over a rectangle of a grid of points stored by tiles.
 *
 * No BLAS routine does this: the kernel is a plain loop, which compilers vectorize. Every point is
 * computed by the same operations in the same order whatever the rectangle, so that results are equal
 * bit for bit for all divisions of the grid. */
#ifndef POLLUX_KERNELS_FIVE_POINT_H
#define POLLUX_KERNELS_FIVE_POINT_H

#include <stddef.h>

#include "common/execution/execution.h"

extern const struct kernel about_sweep;

/** Operations of a sweep for each point: four additions and a multiplication. */
enum { FIVE_POINT_FLOPS = 5 };

/** A rectangle within one tile, and the lines of points around it, which other tiles or the boundary hold.
 * u, b and v are in tiles of the same shape: their leading dimension is ld. */
struct five_point {
    size_t rows, cols, ld;
    const double *u;             /**< before the sweep: its element (0, 0) */
    const double *west, *east;   /**< the columns left and right of it, contiguous */
    const double *north, *south; /**< the rows above and below it … */
    size_t north_ld, south_ld;   /**< … an element every this many doubles */
    const double *b;             /**< h² times the right-hand side */
    double *v;                   /**< after the sweep */
};

/** The new value of a point from its four neighbours and b. */
static inline double five_point_value(double north, double south, double west, double east,
                                      double b)
{
    return 0.25 * (((north + south) + (west + east)) + b);
}

/** A rectangle of the whole grid, by its parts in tiles. It is no larger than a tile. */
struct five_point_parts {
    size_t rows, cols, count;
    struct five_point part[4];
};

/** v := the sweep of u on all parts, reported with these accesses, of which the last names the call. */
void kernel_sweep(struct execution *x, size_t step, const struct access *accesses, size_t count,
                  const struct five_point_parts *whole);

#endif
