/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels. A call's name is the first element that it writes. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "benchmarks/cell-tree/cells.h"
#include "benchmarks/cell-tree/kernels.h"
#include "common/base/sizes.h"
#include "kernels/flops.h"

static double flops(struct call_sizes s)
{
    return 2.0 * s.m * s.k;
}

static double bytes(struct call_sizes s)
{
    return matrix_bytes(s.m, s.k) + matrix_bytes(s.k, 1) + matrix_bytes(s.m, 1);
}

const struct kernel about_leaf = {.name = "leaf",
                                  .operation = "gemv of a leaf's sources",
                                  .count = "2 m k",
                                  .source = LAWN_41,
                                  .growth = GROWS_WITH_FLOPS,
                                  .flops = flops,
                                  .bytes = bytes};

const struct kernel about_parent = {.name = "parent",
                                    .operation = "gemv of the children's vectors",
                                    .count = "2 m k",
                                    .source = LAWN_41,
                                    .growth = GROWS_WITH_FLOPS,
                                    .flops = flops,
                                    .bytes = bytes};

size_t cell_slices(const struct problem *p)
{
    return ceiling(p->n, p->nb);
}

/* The largest power of 2 that is at most 1/√columns. */
static double scale_of(size_t columns)
{
    return exp2(floor(-0.5 * log2((double)columns)));
}

struct cell_product cell_product_of(const struct problem *p, size_t level, size_t cell)
{
    const struct cells *tree = cells_of(p);
    size_t branching = p->parameters[CELLS_BRANCHING];
    if (level == p->parameters[CELLS_DEPTH])
        return (struct cell_product){tree->S, tree->sources + cell * p->n, p->n, scale_of(p->n)};
    return (struct cell_product){tree->P, cell_children(p, level, cell)[0], branching * p->n,
                                 scale_of(branching * p->n)};
}

void cell_multiply(const struct problem *p, const struct cell_product *product, size_t first,
                   size_t rows, double *y)
{
    memset(y, 0, rows * sizeof *y);
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)rows, (int)product->columns, product->scale,
                product->matrix + first, (int)cells_of(p)->ld, product->vector, 1, 1.0, y, 1);
}

void cell_slice(const struct problem *p, size_t level, size_t cell, size_t slice)
{
    struct cell_product product = cell_product_of(p, level, cell);
    size_t first = slice * p->nb;
    cell_multiply(p, &product, first, smaller(p->nb, p->n - first),
                  cell_vector(p, level, cell) + first);
}

/* The sources are not shared. The first cell of a level notes the size of the team. */
bool cell_enter(struct problem *p, size_t level, size_t cell, size_t first, size_t rows)
{
    struct access accesses[BRANCHING_MAX + 1];
    size_t count = 0, branching = p->parameters[CELLS_BRANCHING];
    if (cell == 0)
        execution_note_outer_team(p->execution);
    bool leaf = level == p->parameters[CELLS_DEPTH];
    for (size_t child = 0; !leaf && child < branching; child++)
        accesses[count++] = (struct access){cell_children(p, level, cell)[child], ACCESS_READ};
    accesses[count++] = (struct access){cell_vector(p, level, cell) + first, ACCESS_WRITE};
    struct call call = {leaf ? &about_leaf : &about_parent, p->parameters[CELLS_DEPTH] - level,
                        sizes_mnk(rows, 1, leaf ? p->n : branching * p->n)};
    return execution_enter(p->execution, call, accesses, count);
}

void cell_compute(struct problem *p, size_t level, size_t cell)
{
    if (!cell_enter(p, level, cell, 0, p->n))
        return;
    for (size_t slice = 0; slice < cell_slices(p); slice++)
        cell_slice(p, level, cell, slice);
    execution_leave(p->execution);
}

void cell_compute_slice(struct problem *p, size_t level, size_t cell, size_t slice)
{
    size_t first = slice * p->nb;
    if (!cell_enter(p, level, cell, first, smaller(p->nb, p->n - first)))
        return;
    cell_slice(p, level, cell, slice);
    execution_leave(p->execution);
}
