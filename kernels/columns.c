/* SPDX-License-Identifier: BSD-3-Clause
 * Memory is taken only while an observer is present, never in a timed run. */
#include "kernels/columns.h"

#include <stdlib.h>

/* The other objects first and the topmost tile last, since the last access names the call. */
static void show_column(const struct observer *observer, const char *name, struct column c)
{
    size_t tiles = c.A->mt - c.k;
    size_t count = c.other_count + tiles;
    struct access *accesses = malloc(count * sizeof *accesses);
    if (!accesses)
        abort();
    for (size_t i = 0; i < c.other_count; i++)
        accesses[i] = c.others[i];
    for (size_t i = 0; i < tiles; i++)
        accesses[count - 1 - i] = (struct access){tile_address(c.A, c.k + i, c.j), c.mode};
    observer->kernel(observer->context, name, c.k, accesses, count);
    free(accesses);
}

bool column_enter(struct execution *x, const char *name, struct column column)
{
    if (x->observer)
        show_column(x->observer, name, column);
    return execution_begin(x, name, column.k, tile_address(column.A, column.k, column.j));
}
