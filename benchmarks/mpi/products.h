/* SPDX-License-Identifier: BSD-3-Clause
 * Products of vectors with spread factors, for verification. Every rank adds up its own tiles and takes part in a sum;
 * vectors are whole on every rank. All ranks call these functions together. */
#ifndef POLLUX_BENCHMARKS_MPI_PRODUCTS_H
#define POLLUX_BENCHMARKS_MPI_PRODUCTS_H

#include "benchmarks/mpi/spread.h"

/** A triangle of the matrix. */
enum triangle { LOWER, UNIT_LOWER, UPPER };

/** Y := T X, or Y := Tᵀ X, with that triangle T of the matrix. X and Y are n × p and must not overlap. */
void spread_multiply(const struct problem *p, enum triangle triangle, bool transposed,
                     struct tile X, struct tile Y);

/** Y += T X or Y += Tᵀ X of a tile alone, whose first element is (row, col) of the matrix. */
void add_tile_product(struct tile T, bool transposed, size_t row, size_t col, struct tile X,
                      struct tile Y);

/** The sum over all ranks of what each of them has, in place. */
void spread_sum(struct tile Y);

/** What spread_verify takes on all ranks of this machine, in bytes. */
size_t spread_verify_bytes(const struct problem *p, enum check check);

/** Adds the residual A - (product of the factors) as the driver does it for one process (common/run/verify.h).
 * @return false if out of memory */
bool spread_verify(struct problem *p, enum check check, const char *name,
                   struct verification *result);

#endif
