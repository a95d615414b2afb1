/* SPDX-License-Identifier: BSD-3-Clause
 * The pool is a tile matrix of one row of tiles, so blocks have the alignment, the leading dimension and the
 * pages of the other benchmarks' tiles. */
#include "benchmarks/sparselu/blocks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/sizes.h"

size_t blocks_bytes(size_t n, size_t nb, size_t capacity)
{
    size_t nt = ceiling(n, nb), columns, places, tables, bytes;
    if (__builtin_mul_overflow(nt, nt, &places) ||
        __builtin_add_overflow(places, capacity, &places) ||
        __builtin_mul_overflow(places, sizeof(double *), &tables) ||
        __builtin_mul_overflow(capacity, nb, &columns) ||
        __builtin_add_overflow(tables, tile_matrix_bytes(nb, columns, nb, nb), &bytes))
        return SIZE_MAX;
    return bytes;
}

bool blocks_create(struct block_matrix *A, size_t n, size_t nb, size_t capacity,
                   const struct topology *interleave)
{
    *A = (struct block_matrix){.n = n, .nb = nb, .nt = ceiling(n, nb)};
    if (blocks_bytes(n, nb, capacity) == SIZE_MAX)
        return false;
    A->block = calloc(A->nt * A->nt, sizeof(double *));
    A->index = calloc(capacity, sizeof *A->index);
    A->pool = tile_matrix_create(nb, capacity * nb, nb, nb, interleave);
    return A->block && A->index && A->pool;
}

void blocks_destroy(struct block_matrix *A)
{
    free(A->block);
    free(A->index);
    tile_matrix_destroy(A->pool);
    *A = (struct block_matrix){.n = 0};
}

void blocks_clear(struct block_matrix *A)
{
    memset(A->block, 0, A->nt * A->nt * sizeof(double *));
    A->used = 0;
}

bool block_appear(struct block_matrix *A, size_t i, size_t j)
{
    size_t index = i + j * A->nt;
    if (A->block[index])
        return false;
    if (A->used == A->pool->nt)
        abort(); /* more blocks than the pattern has with its fill-in */
    A->index[A->used] = index;
    A->block[index] = tile_address(A->pool, 0, A->used++);
    return true;
}

static size_t order_of(const struct block_matrix *A, size_t i)
{
    return smaller(A->nb, A->n - i * A->nb);
}

struct tile block_at(const struct block_matrix *A, size_t i, size_t j)
{
    size_t rows = order_of(A, i);
    return tile_view(block_address(A, i, j), rows, order_of(A, j), tile_leading_dimension(rows));
}

bool blocks_locate(const struct block_matrix *A, const void *address, size_t *i, size_t *j)
{
    size_t row, place;
    if (!tile_matrix_locate(A->pool, address, &row, &place) || place >= A->used)
        return false;
    *i = A->index[place] % A->nt;
    *j = A->index[place] / A->nt;
    return true;
}
