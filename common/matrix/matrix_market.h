/* SPDX-License-Identifier: BSD-3-Clause
 * Reads a matrix in Matrix Market form (Boisvert, Pozo, Remington, "The Matrix Market exchange
 * formats", NISTIR 5935, 1996) and makes it dense. */
#ifndef POLLUX_COMMON_MATRIX_MARKET_H
#define POLLUX_COMMON_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>

#include "common/matrix/refusal.h"

/** A dense column-major matrix; leading dimension m. */
struct dense_matrix {
    size_t m, n;
    double *elements;
};

/** Reads a real, integer or pattern matrix, coordinate or array, general, symmetric or
 * skew-symmetric, from a file or a pipe. Every number is read whole, and there must be as many entries as
 * announced. Entries for the same element are added. A symmetric matrix in coordinates may
 * list either triangle, but not both.
 * @param[out] matrix release with matrix_market_free
 * @param[out] refusal names the line, and the column where it matters: POLLUX_USAGE if the file
 * cannot be read or is not such a matrix, POLLUX_MACHINE if it does not fit into memory
 * @return false if refused */
bool matrix_market_parse(const char *path, struct dense_matrix *matrix, struct refusal *refusal);

/** The same; ends the program with one line where the file is refused. */
struct dense_matrix matrix_market_read(const char *path);

/** True if the matrix is square and equal to its transpose. */
bool dense_matrix_is_symmetric(const struct dense_matrix *matrix);

/** The largest magnitude of an element; NaN where one is NaN. */
double dense_matrix_largest(const struct dense_matrix *matrix);

void matrix_market_free(struct dense_matrix *matrix);

#endif
