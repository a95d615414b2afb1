/* SPDX-License-Identifier: BSD-3-Clause
 * Memory is allocated only while an observer is present, never in a timed run. */
#include "kernels/tile_column.h"

#include <stdlib.h>

struct tile column_tile(const struct tile_matrix *A, size_t k, size_t i, size_t j)
{
    return i == tile_top(A, k) ? tile_at_step(A, k, j) : tile_at(A, i, j);
}

/* The pivots and other objects first and the topmost tile last, since the last access names the
 * call. */
static void show_column(const struct observer *observer, const char *name, struct column c)
{
    size_t top = tile_top(c.A, c.k), tiles = c.A->mt - top;
    size_t count = c.pivot_steps + c.other_count + tiles;
    struct access *accesses = malloc(count * sizeof *accesses);
    if (!accesses)
        abort();
    for (size_t s = 0; s < c.pivot_steps; s++)
        accesses[s] = (struct access){&c.pivots[(c.k + s) * c.A->nb], ACCESS_READ};
    for (size_t i = 0; i < c.other_count; i++)
        accesses[c.pivot_steps + i] = c.others[i];
    for (size_t i = 0; i < tiles; i++)
        accesses[count - 1 - i] = (struct access){tile_address(c.A, top + i, c.j), c.mode};
    observer->kernel(observer->context, name, c.k, accesses, count);
    free(accesses);
}

bool column_enter(struct execution *x, const char *name, struct column column)
{
    if (x->observer)
        show_column(x->observer, name, column);
    size_t top = tile_top(column.A, column.k);
    return execution_begin(x, name, column.k, tile_address(column.A, top, column.j));
}
