/* SPDX-License-Identifier: BSD-3-Clause
 * A square matrix of dense blocks, of which only those that are not zero are stored.
 *
 * The memory is reserved once, for as many blocks as the matrix will ever have. A block takes the next
 * place in it when it appears, and keeps it. The address of a block's first element stands for the
 * block in a `depend` clause. */
#ifndef POLLUX_BENCHMARKS_SPARSELU_BLOCKS_H
#define POLLUX_BENCHMARKS_SPARSELU_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/matrix/tile_matrix.h"

/** An n × n matrix in blocks of nb × nb; those in the last row and column may be smaller. */
struct block_matrix {
    size_t n, nb;
    size_t nt;                /**< rows and columns of blocks */
    double **block;           /**< block[i + j * nt]: first element of block (i, j); NULL: zero */
    size_t *index;            /**< index[s]: i + j * nt of the block in place s */
    size_t used;              /**< places taken */
    struct tile_matrix *pool; /**< the places: its tiles (0, s) */
};

/** Bytes that blocks_create would allocate. Saturates at SIZE_MAX instead of overflowing. */
size_t blocks_bytes(size_t n, size_t nb, size_t capacity);

/** Reserves memory for `capacity` blocks, none of which exists yet.
 * @param[in] nb         at most n
 * @param[in] interleave as for tile_matrix_create
 * @return false if out of memory; release with blocks_destroy in any case */
bool blocks_create(struct block_matrix *A, size_t n, size_t nb, size_t capacity,
                   const struct topology *interleave);

void blocks_destroy(struct block_matrix *A);

/** Makes all blocks zero: none is stored any more. */
void blocks_clear(struct block_matrix *A);

/** Stores block (i, j), if it is not stored yet; its elements are undefined then. One thread at a
 * time calls this, while others may use other blocks.
 * @return true if it was not stored */
bool block_appear(struct block_matrix *A, size_t i, size_t j);

/** Address of the first element of block (i, j), or NULL if the block is zero. */
static inline double *block_address(const struct block_matrix *A, size_t i, size_t j)
{
    return A->block[i + j * A->nt];
}

/** Block (i, j), which is stored. */
struct tile block_at(const struct block_matrix *A, size_t i, size_t j);

/** Finds the block that an address stands for. @return false if it is no block's first element */
bool blocks_locate(const struct block_matrix *A, const void *address, size_t *i, size_t *j);

#endif
