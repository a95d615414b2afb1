/* SPDX-License-Identifier: BSD-3-Clause
 * Vectors of one level are contiguous, without padding, so that those of all children of a cell are one vector, which
 * one dgemv multiplies. */
#include <math.h>
#include <stdlib.h>

#include "benchmarks/cell-tree/cells.h"
#include "common/base/sizes.h"
#include "common/matrix/digest.h"

static size_t depth(const struct problem *p)
{
    return p->parameters[CELLS_DEPTH];
}

size_t cells_on_level(const struct problem *p, size_t level)
{
    size_t count = p->parameters[CELLS_ROOTS];
    for (size_t l = 0; l < level; l++)
        count = saturating_multiply(count, p->parameters[CELLS_BRANCHING]);
    return count;
}

static size_t all_cells(const struct problem *p)
{
    size_t count = 0;
    for (size_t level = 0; level <= depth(p); level++)
        count = saturating_add(count, cells_on_level(p, level));
    return count;
}

static size_t matrix_doubles(const struct problem *p, size_t columns)
{
    return saturating_multiply(tile_leading_dimension(p->n), columns);
}

static size_t doubles(const struct problem *p)
{
    size_t vectors = saturating_add(all_cells(p), cells_on_level(p, depth(p)));
    size_t columns = saturating_multiply(p->n, p->parameters[CELLS_BRANCHING] + 1);
    return saturating_add(matrix_doubles(p, columns), saturating_multiply(vectors, p->n));
}

size_t cells_bytes(const struct problem *p)
{
    size_t bytes = saturating_multiply(doubles(p), sizeof(double));
    return saturating_add(bytes, saturating_multiply(all_cells(p), sizeof(double *)));
}

double cells_operations(const struct problem *p)
{
    double n = (double)p->n, leaves = (double)cells_on_level(p, depth(p)), others = 0.0;
    for (size_t level = 0; level < depth(p); level++)
        others += (double)cells_on_level(p, level);
    return 2 * n * n * (leaves + others * (double)p->parameters[CELLS_BRANCHING]);
}

double cells_tasks(const struct problem *p, const struct variant *variant)
{
    double slices = variant->submit == cells_taskloop ? (double)cell_slices(p) : 1.0;
    return slices * (double)all_cells(p);
}

/* An array, in a single tile. */
static double *allocate(const struct problem *p, size_t count, struct tile_matrix **storage)
{
    *storage = tile_matrix_create(count, 1, count, 1, p->interleave);
    return *storage ? (*storage)->storage : NULL;
}

static void place_vectors(const struct problem *p, struct cells *tree)
{
    for (size_t level = 0; level <= depth(p); level++)
        tree->first[level + 1] = tree->first[level] + cells_on_level(p, level);
    for (size_t cell = 0; cell < tree->first[depth(p) + 1]; cell++)
        tree->vector[cell] = tree->values + cell * p->n;
}

int cells_create(struct problem *p)
{
    struct cells *tree = calloc(1, sizeof *tree);
    p->factors = tree;
    if (!tree || all_cells(p) > SIZE_MAX / sizeof(double *))
        return -1;
    tree->ld = tile_leading_dimension(p->n);
    size_t columns = p->n * p->parameters[CELLS_BRANCHING];
    size_t sources = saturating_multiply(cells_on_level(p, depth(p)), p->n);
    tree->S = allocate(p, matrix_doubles(p, p->n), &tree->storage[0]);
    tree->P = allocate(p, matrix_doubles(p, columns), &tree->storage[1]);
    tree->sources = allocate(p, sources, &tree->storage[2]);
    tree->values = allocate(p, saturating_multiply(all_cells(p), p->n), &tree->storage[3]);
    tree->vector = calloc(all_cells(p), sizeof *tree->vector);
    if (!tree->S || !tree->P || !tree->sources || !tree->values || !tree->vector)
        return -1;
    place_vectors(p, tree);
    return 0;
}

void cells_destroy(struct problem *p)
{
    struct cells *tree = cells_of(p);
    if (!tree)
        return;
    for (size_t i = 0; i < sizeof tree->storage / sizeof *tree->storage; i++)
        tile_matrix_destroy(tree->storage[i]);
    free(tree->vector);
    free(tree);
    p->factors = NULL;
}

/* Blocks of columns of a matrix of n rows. */
static void fill(const struct problem *p, uint64_t number, double *matrix, size_t columns,
                 size_t ld)
{
    enum { BLOCK = 64 };
    struct input input = {INPUT_UNIFORM, p->n, columns, p->input.seed + (number << 62), NULL};
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t j = 0; j < columns; j += BLOCK)
        input_tile(&input, 0, j, tile_view(matrix + j * ld, p->n, smaller(BLOCK, columns - j), ld));
}

/* A cell that is computed before its children reads NaN. */
void cells_generate(struct problem *p)
{
    struct cells *tree = cells_of(p);
    size_t count = all_cells(p) * p->n;
    fill(p, 0, tree->S, p->n, tree->ld);
    fill(p, 1, tree->P, p->n * p->parameters[CELLS_BRANCHING], tree->ld);
    fill(p, 2, tree->sources, cells_on_level(p, depth(p)), p->n);
#pragma omp parallel for schedule(static) num_threads((int)p->threads)
    for (size_t i = 0; i < count; i++)
        tree->values[i] = NAN;
}

uint64_t cells_digest(const struct problem *p)
{
    const struct cells *tree = cells_of(p);
    return digest_tile(tile_view(tree->values, p->n, all_cells(p), p->n), 0);
}

size_t cells_figures(const struct problem *p, double seconds, struct figure *figures)
{
    (void)seconds;
    figures[0] = (struct figure){"cells", (double)all_cells(p)};
    return 1;
}

/* The cell on its level, which the step tells, and the slice. */
void cells_coordinates(const struct problem *p, size_t k, const void *object, size_t *i, size_t *j)
{
    const struct cells *tree = cells_of(p);
    size_t element = (size_t)((const double *)object - tree->values);
    *i = element / p->n - tree->first[depth(p) - k];
    *j = element % p->n / p->nb;
}
