/* SPDX-License-Identifier: BSD-3-Clause
 * One anonymous mapping holds all tiles in slots of equal size; a table holds their addresses. */
#include "common/matrix/tile_matrix.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/sizes.h"
#include "common/machine/topology.h"

enum { DOUBLES_PER_LINE = 8, DOUBLES_PER_BAD_STRIDE = 128 };

static const size_t HUGE_PAGE_BYTES = (size_t)2 << 20;
/* Below this, mapping memory takes longer than what is done with it. */
static const size_t SMALL_BYTES = (size_t)32 << 10;

size_t tile_leading_dimension(size_t rows)
{
    size_t ld = ceiling(rows, DOUBLES_PER_LINE) * DOUBLES_PER_LINE;
    return ld % DOUBLES_PER_BAD_STRIDE == 0 ? ld + DOUBLES_PER_LINE : ld;
}

/* Doubles between the first elements of two consecutive tiles. */
static size_t slot_doubles(size_t m, size_t n, size_t mb, size_t nb)
{
    return tile_leading_dimension(smaller(mb, m)) * smaller(nb, n);
}

size_t tile_matrix_part_bytes(size_t m, size_t n, size_t mb, size_t nb, size_t tiles)
{
    size_t doubles, bytes;
    size_t ld = smaller(mb, m) > SIZE_MAX / 2 ? SIZE_MAX : tile_leading_dimension(smaller(mb, m));
    if (__builtin_mul_overflow(ld, smaller(nb, n), &doubles) ||
        __builtin_mul_overflow(tiles, doubles, &doubles) ||
        __builtin_mul_overflow(doubles, sizeof(double), &bytes))
        return SIZE_MAX;
    return bytes;
}

size_t tile_matrix_bytes(size_t m, size_t n, size_t mb, size_t nb)
{
    size_t tiles;
    if (__builtin_mul_overflow(ceiling(m, mb), ceiling(n, nb), &tiles))
        return SIZE_MAX;
    return tile_matrix_part_bytes(m, n, mb, nb, tiles);
}

/* Takes the storage from the heap. */
static bool reserve_small(struct tile_matrix *A)
{
    const size_t line = DOUBLES_PER_LINE * sizeof(double);
    const size_t bytes = ceiling(A->bytes, line) * line;
    void *memory = aligned_alloc(line, bytes);
    if (!memory)
        return false;
    A->storage = memset(memory, 0, bytes);
    return true;
}

/* Maps the storage so that it begins on a huge page. The system may have none. */
static bool reserve_large(struct tile_matrix *A)
{
    size_t bytes;
    if (__builtin_add_overflow(A->bytes, HUGE_PAGE_BYTES, &bytes))
        return false;
    void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return false;
    uintptr_t offset = (uintptr_t)mapping % HUGE_PAGE_BYTES;
    A->mapping = mapping;
    A->mapped_bytes = bytes;
    A->storage = (double *)((char *)mapping + (offset ? HUGE_PAGE_BYTES - offset : 0));
    (void)madvise(A->storage, A->bytes, MADV_HUGEPAGE);
    return true;
}

struct tile_matrix *tile_matrix_create_part(size_t m, size_t n, size_t mb, size_t nb, size_t tiles,
                                            const struct topology *interleave)
{
    size_t bytes = tile_matrix_part_bytes(m, n, mb, nb, tiles);
    if (bytes == SIZE_MAX)
        return NULL;
    struct tile_matrix *A = calloc(1, sizeof *A);
    if (!A)
        return NULL;
    mb = smaller(mb, m);
    nb = smaller(nb, n);
    *A = (struct tile_matrix){.m = m, .n = n, .mb = mb, .nb = nb, .bytes = bytes};
    A->mt = ceiling(m, mb);
    A->nt = ceiling(n, nb);
    A->column = calloc(A->mt * A->nt, sizeof *A->column);
    if (!(bytes < SMALL_BYTES ? reserve_small(A) : reserve_large(A)) || !A->column) {
        tile_matrix_destroy(A);
        return NULL;
    }
    if (interleave && A->mapping)
        topology_interleave(interleave, A->storage, bytes);
    return A;
}

double *tile_matrix_place(const struct tile_matrix *A, size_t index)
{
    return A->storage + index * slot_doubles(A->m, A->n, A->mb, A->nb);
}

struct tile_matrix *tile_matrix_create(size_t m, size_t n, size_t mb, size_t nb,
                                       const struct topology *interleave)
{
    size_t tiles;
    if (__builtin_mul_overflow(ceiling(m, mb), ceiling(n, nb), &tiles))
        return NULL;
    struct tile_matrix *A = tile_matrix_create_part(m, n, mb, nb, tiles, interleave);
    for (size_t t = 0; A && t < tiles; t++)
        A->column[t] = tile_matrix_place(A, t);
    return A;
}

void tile_matrix_destroy(struct tile_matrix *A)
{
    if (!A)
        return;
    if (A->mapping)
        munmap(A->mapping, A->mapped_bytes);
    else
        free(A->storage);
    free(A->column);
    free(A);
}

bool tile_matrix_locate(const struct tile_matrix *A, const void *address, size_t *i, size_t *j)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)A->storage;
    size_t slot = slot_doubles(A->m, A->n, A->mb, A->nb) * sizeof(double);
    if (offset >= A->bytes || offset % slot != 0)
        return false;
    *i = offset / slot % A->mt;
    *j = offset / slot / A->mt;
    return true;
}

struct tile tile_at(const struct tile_matrix *A, size_t i, size_t j)
{
    return (struct tile){.a = tile_address(A, i, j),
                         .rows = tile_rows(A, i),
                         .cols = tile_cols(A, j),
                         .ld = tile_leading_dimension(tile_rows(A, i)),
                         .origin = tile_address(A, i, j)};
}

size_t tile_steps(const struct tile_matrix *A)
{
    return ceiling(smaller(A->m, A->n), A->nb);
}

void tile_copy(struct tile from, struct tile to)
{
    for (size_t j = 0; j < to.cols; j++)
        memcpy(to.a + j * to.ld, from.a + j * from.ld, to.rows * sizeof(double));
}

void tile_clear(struct tile t)
{
    for (size_t j = 0; j < t.cols; j++)
        memset(t.a + j * t.ld, 0, t.rows * sizeof(double));
}

double tile_squares(struct tile t)
{
    double sum = 0.0;
    for (size_t j = 0; j < t.cols; j++)
        for (size_t i = 0; i < t.rows; i++)
            sum += t.a[i + j * t.ld] * t.a[i + j * t.ld];
    return sum;
}

struct tile tile_at_step(const struct tile_matrix *A, size_t k, size_t j)
{
    struct tile top = tile_at(A, tile_top(A, k), j);
    size_t first = k * A->nb % A->mb;
    return tile_part(top, first, top.rows - first);
}

struct tile tile_block(const struct tile_matrix *A, size_t k, size_t j)
{
    struct tile top = tile_at_step(A, k, j);
    return tile_part(top, 0, smaller(A->nb, top.rows));
}

double *tile_matrix_element(const struct tile_matrix *A, size_t i, size_t j)
{
    struct tile t = tile_at(A, i / A->mb, j / A->nb);
    return &t.a[i % A->mb + j % A->nb * t.ld];
}
