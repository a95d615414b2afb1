/* SPDX-License-Identifier: BSD-3-Clause
 * Reads a matrix in Matrix Market form (Boisvert, Pozo, Remington, "The Matrix Market exchange
 * formats", NISTIR 5935, 1996) by SuiteSparse's reader, and makes it dense. */
#ifndef POLLUX_COMMON_MATRIX_MARKET_H
#define POLLUX_COMMON_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>

/** A dense column-major matrix; leading dimension m. */
struct dense_matrix {
    size_t m, n;
    double *elements;
};

/** Reads a real, integer or pattern matrix, coordinate or array, general, symmetric or skew.
 * Ends the program with one line and status POLLUX_USAGE if the file cannot be read or is not such
 * a matrix, POLLUX_MACHINE if it does not fit into memory.
 * @return the matrix; release with matrix_market_free */
struct dense_matrix matrix_market_read(const char *path);

/** True if the matrix is square and equal to its transpose. */
bool dense_matrix_is_symmetric(const struct dense_matrix *matrix);

void matrix_market_free(struct dense_matrix *matrix);

#endif
