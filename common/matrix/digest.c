/* SPDX-License-Identifier: BSD-3-Clause
 * A multiply-and-mix hash over 64-bit words in four lanes, built on the finaliser of MurmurHash3
 * (A. Appleby, public domain description). Not cryptographic: it has to detect accidental
 * differences. */
#include "common/matrix/digest.h"

#include "common/base/bits.h"

enum { LANES = 4 };

static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    h ^= h >> 33;
    return h;
}

static uint64_t add_word(uint64_t digest, uint64_t word)
{
    return mix(digest ^ word) + UINT64_C(0x9e3779b97f4a7c15);
}

/* The lanes keep four independent chains in flight; they are joined in order at the end. */
static uint64_t add_doubles(uint64_t digest, const double *values, size_t count)
{
    uint64_t lane[LANES] = {digest, digest + 1, digest + 2, digest + 3};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] = add_word(lane[l], bits_of(values[i + l]));
    for (; i < count; i++)
        lane[0] = add_word(lane[0], bits_of(values[i]));
    for (size_t l = 1; l < LANES; l++)
        lane[0] = add_word(lane[0], lane[l]);
    return lane[0];
}

static uint64_t digest_elements(struct tile t, int lower)
{
    uint64_t digest = t.rows * UINT64_C(1000003) + t.cols;
    for (size_t j = 0; j < t.cols; j++) {
        size_t first = lower ? j : 0;
        if (first < t.rows)
            digest = add_doubles(digest, t.a + first + j * t.ld, t.rows - first);
    }
    return digest;
}

uint64_t digest_tile(struct tile t, size_t place)
{
    return mix(digest_elements(t, 0) + mix(place));
}

uint64_t digest_lower_tile(struct tile t, size_t place)
{
    return mix(digest_elements(t, 1) + mix(place));
}

uint64_t digest_matrix(const struct tile_matrix *A, enum digest_part part, size_t threads)
{
    uint64_t digest = 0;
    /* Each tile's digest is made to depend on its place; the sum is then free of order. */
#pragma omp parallel for collapse(2) schedule(static) num_threads((int)threads)
    for (size_t j = 0; j < A->nt; j++)
        for (size_t i = 0; i < A->mt; i++)
            if (part == DIGEST_ALL || i >= tile_top(A, j)) {
                size_t place = i + j * A->mt;
                uint64_t own = part == DIGEST_LOWER && i == tile_top(A, j)
                                   ? digest_lower_tile(tile_at_step(A, j, j), place)
                                   : digest_tile(tile_at(A, i, j), place);
#pragma omp atomic
                digest += own;
            }
    return digest;
}

uint64_t digest_integers(uint64_t digest, const int *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        digest = add_word(digest, (uint64_t)(unsigned)values[i]);
    return digest;
}
