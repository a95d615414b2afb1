/* SPDX-License-Identifier: BSD-3-Clause
 * The inner loop runs along a column, whose points are contiguous. Its ends need rows of other tiles. */
#include "kernels/five_point.h"

#include "kernels/flops.h"

static double flops(struct call_sizes s)
{
    return (double)FIVE_POINT_FLOPS * s.m * s.n;
}

/* The rectangle of u, b and v, and the lines around it. */
static double bytes(struct call_sizes s)
{
    return 3 * matrix_bytes(s.m, s.n) + 2 * (matrix_bytes(s.m, 1) + matrix_bytes(1, s.n));
}

const struct kernel about_sweep = {.name = "sweep",
                                   .count = "5 m n",
                                   .source = "counted: four additions and a multiplication for "
                                             "each point (kernels/five_point.h)",
                                   .growth = GROWS_WITH_BYTES,
                                   .flops = flops,
                                   .bytes = bytes};

/* A column of u with its neighbours in four directions. */
struct column {
    const double *u, *west, *east, *b;
    double north, south;
};

static void sweep_column(size_t rows, struct column c, double *restrict v)
{
    const double *u = c.u, *west = c.west, *east = c.east, *b = c.b;
    size_t last = rows - 1;
    v[0] = five_point_value(c.north, last > 0 ? u[1] : c.south, west[0], east[0], b[0]);
    for (size_t i = 1; i < last; i++)
        v[i] = five_point_value(u[i - 1], u[i + 1], west[i], east[i], b[i]);
    if (last > 0)
        v[last] = five_point_value(u[last - 1], c.south, west[last], east[last], b[last]);
}

static void sweep(const struct five_point *s)
{
    for (size_t j = 0; j < s->cols; j++) {
        const double *u = s->u + j * s->ld;
        struct column column = {.u = u,
                                .west = j > 0 ? u - s->ld : s->west,
                                .east = j + 1 < s->cols ? u + s->ld : s->east,
                                .b = s->b + j * s->ld,
                                .north = s->north[j * s->north_ld],
                                .south = s->south[j * s->south_ld]};
        sweep_column(s->rows, column, s->v + j * s->ld);
    }
}

void kernel_sweep(struct execution *x, size_t step, const struct access *accesses, size_t count,
                  const struct five_point_parts *whole)
{
    struct call call = {&about_sweep, step, sizes_mnk(whole->rows, whole->cols, 1)};
    if (!execution_enter(x, call, accesses, count))
        return;
    for (size_t i = 0; i < whole->count; i++)
        sweep(&whole->part[i]);
    execution_leave(x);
}
