/* SPDX-License-Identifier: BSD-3-Clause
 * Tiles of the matrix are located here; other objects that name calls are located by
 * the algorithm. */
#include "common/run/coordinates.h"

struct coordinates coordinates_of(const struct benchmark *benchmark, const struct problem *problem,
                                  size_t step, const void *object)
{
    struct coordinates at = {0, 0};
    bool tile = benchmark->processes
                    ? benchmark->processes->locate(problem, step, object, &at.i, &at.j)
                    : problem->A && tile_matrix_locate(problem->A, object, &at.i, &at.j);
    if (!tile && benchmark->coordinates)
        benchmark->coordinates(problem, step, object, &at.i, &at.j);
    return at;
}
