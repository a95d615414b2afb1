/* SPDX-License-Identifier: BSD-3-Clause
 * Memory is taken only while an observer is present, never in a timed run. */
#include "kernels/columns.h"

#include <stdlib.h>

void observe_column(struct execution *x, const char *name, size_t k, const struct tile_matrix *A,
                    size_t j, const int *pivots, enum access_mode pivot_mode)
{
    if (!x->observer)
        return;
    size_t count = A->mt - k;
    struct access *accesses = malloc((count + 1) * sizeof *accesses);
    if (!accesses)
        abort();
    for (size_t i = 0; i < count; i++)
        accesses[i] = (struct access){tile_address(A, k + i, j), ACCESS_WRITE};
    accesses[count] = (struct access){pivots, pivot_mode};
    x->observer->kernel(x->observer->context, name, k, accesses, count + 1);
    free(accesses);
}
