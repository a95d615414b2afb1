/* SPDX-License-Identifier: BSD-3-Clause
 * Memory is allocated only while an observer is present, never in a timed run. */
#include "kernels/tile_column.h"

#include <stdlib.h>

struct tile column_tile(const struct tile_matrix *A, size_t k, size_t i, size_t j)
{
    return i == tile_top(A, k) ? tile_at_step(A, k, j) : tile_at(A, i, j);
}

static size_t add_tiles(struct access *accesses, struct column c)
{
    size_t tiles = c.A->mt - tile_top(c.A, c.k);
    for (size_t i = 0; i < tiles; i++)
        accesses[i] = (struct access){tile_address(c.A, c.A->mt - 1 - i, c.j), c.mode};
    return tiles;
}

static size_t add_others(struct access *accesses, struct column c)
{
    for (size_t s = 0; s < c.pivot_steps; s++)
        accesses[s] = (struct access){&c.pivots[(c.k + s) * c.A->nb], ACCESS_READ};
    for (size_t i = 0; i < c.other_count; i++)
        accesses[c.pivot_steps + i] = c.others[i];
    return c.pivot_steps + c.other_count;
}

/* The last access names the call: the topmost tile, or the last of the other objects. */
void column_show(const struct observer *observer, struct call call, struct column c)
{
    size_t most = c.pivot_steps + c.other_count + c.A->mt, count;
    struct access *accesses = malloc(most * sizeof *accesses);
    if (!accesses)
        abort();
    if (c.named_by_other) {
        count = add_tiles(accesses, c);
        count += add_others(accesses + count, c);
    } else {
        count = add_others(accesses, c);
        count += add_tiles(accesses + count, c);
    }
    observer->kernel(observer->context, call, accesses, count);
    free(accesses);
}

struct call_sizes column_sizes(const struct tile_matrix *A, size_t k, size_t j)
{
    size_t rows = A->m - k * A->nb, width = tile_cols(A, k);
    return sizes_mnk(rows, tile_cols(A, j), rows < width ? rows : width);
}

bool column_enter(struct execution *x, const struct kernel *kernel, struct column column)
{
    struct call call = {kernel, column.k, column_sizes(column.A, column.k, column.j)};
    if (x->observer)
        column_show(x->observer, call, column);
    size_t top = tile_top(column.A, column.k);
    return execution_begin(x, call, tile_address(column.A, top, column.j));
}
