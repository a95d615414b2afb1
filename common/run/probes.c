/* SPDX-License-Identifier: BSD-3-Clause
 * Plain loops over columns: products cost more. */
#include "common/run/probes.h"

#include "common/matrix/input.h"

struct tile_matrix *probes_create(size_t rows, size_t cols)
{
    return tile_matrix_create(rows, cols, rows, cols, NULL);
}

struct tile probes_all(const struct tile_matrix *X)
{
    return tile_at(X, 0, 0);
}

void probes_fill(uint64_t seed, bool identity, size_t first, struct tile X)
{
    for (size_t j = 0; j < X.cols; j++)
        for (size_t i = 0; i < X.rows; i++)
            X.a[i + j * X.ld] =
                identity ? (i == first + j ? 1.0 : 0.0) : input_sign(seed, i, first + j);
}

double probes_squared_difference(struct tile X, size_t first, struct tile Y)
{
    double squares = 0.0;
    for (size_t j = 0; j < Y.cols; j++)
        for (size_t i = 0; i < Y.rows; i++) {
            double d = X.a[i + (first + j) * X.ld] - Y.a[i + j * Y.ld];
            squares += d * d;
        }
    return squares;
}
