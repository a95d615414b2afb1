/* SPDX-License-Identifier: BSD-3-Clause
 * A 64-bit digest of the factors: equal bits in, equal digest out, whatever the thread count. */
#ifndef POLLUX_COMMON_DIGEST_H
#define POLLUX_COMMON_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "common/matrix/tile_matrix.h"

/** Which elements are part of the factors. */
enum digest_part { DIGEST_ALL, DIGEST_LOWER };

/** Digest of a matrix by its elements' bit patterns; padding is left out.
 * Tiles are hashed in parallel; their sum does not depend on the order. */
uint64_t digest_matrix(const struct tile_matrix *A, enum digest_part part, size_t threads);

/** The part of digest_matrix that is due to one tile, which is number `place` of the tiles of A, counted down
 * its columns. The digest of a matrix is the sum over all its tiles, modulo 2⁶⁴. */
uint64_t digest_tile(struct tile t, size_t place);

/** The same of a tile on the diagonal, of which only the lower triangle counts. */
uint64_t digest_lower_tile(struct tile t, size_t place);

/** Adds `count` integers (pivots) to a digest. */
uint64_t digest_integers(uint64_t digest, const int *values, size_t count);

#endif
