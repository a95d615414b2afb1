/* SPDX-License-Identifier: BSD-3-Clause
 * Digests: equal for equal bits, and for nothing else. */
#include <algorithm>
#include <cstring>
#include <set>

#include "tests/support.h"

TEST(Digest, ChangesWithEveryBitOfEveryElement)
{
    TileMatrix A = to_tiles(random_matrix(11, 9, 1), 4);
    std::set<uint64_t> seen = {digest_matrix(A.get(), DIGEST_ALL, 1)};
    for (size_t i = 0; i < 11; i++)
        for (size_t j = 0; j < 9; j++)
            for (int bit = 0; bit < 64; bit++) {
                double *element = tile_matrix_element(A.get(), i, j);
                const double before = *element;
                uint64_t bits;
                std::memcpy(&bits, element, sizeof bits);
                bits ^= UINT64_C(1) << bit;
                std::memcpy(element, &bits, sizeof bits);
                EXPECT_TRUE(seen.insert(digest_matrix(A.get(), DIGEST_ALL, 1)).second)
                    << describe({{"i", i}, {"j", j}}) << " bit " << bit;
                *element = before;
            }
}

TEST(Digest, DoesNotDependOnPaddingOrThreads)
{
    const Matrix values = random_matrix(45, 37, 2);
    TileMatrix A = to_tiles(values, 16), B = make_tile_matrix(45, 37, 16);
    std::fill_n(B->storage, B->bytes / sizeof(double), -5.0);
    for (size_t j = 0; j < 37; j++)
        for (size_t i = 0; i < 45; i++)
            *tile_matrix_element(B.get(), i, j) = values(i, j);
    for (digest_part part : {DIGEST_ALL, DIGEST_LOWER})
        for (size_t threads : Sizes{1, 2, 5}) {
            const uint64_t expected = digest_matrix(A.get(), part, 1);
            EXPECT_EQ(digest_matrix(A.get(), part, threads), expected) << threads;
            EXPECT_EQ(digest_matrix(B.get(), part, threads), expected) << threads;
        }
}

TEST(Digest, OfTheLowerTriangleSeesNothingAboveTheDiagonal)
{
    TileMatrix A = to_tiles(random_matrix(11, 11, 3), 4);
    const uint64_t before = digest_matrix(A.get(), DIGEST_LOWER, 1);
    for (size_t i = 0; i < 11; i++)
        for (size_t j = 0; j < 11; j++) {
            *tile_matrix_element(A.get(), i, j) += 1.0;
            EXPECT_EQ(digest_matrix(A.get(), DIGEST_LOWER, 1) == before, i < j) << i << " " << j;
            *tile_matrix_element(A.get(), i, j) = random_matrix(11, 11, 3)(i, j);
        }
}

/* Tiles with the same elements at other places, and elements in another order. */
TEST(Digest, DependsOnPlacesAndShapes)
{
    std::set<uint64_t> seen;
    for (size_t place = 0; place < 16; place++) {
        Matrix values(8, 8);
        values(place % 4 * 2, place / 4 * 2) = 1.0;
        for (size_t nb : Sizes{2, 4, 8})
            EXPECT_TRUE(
                seen.insert(digest_matrix(to_tiles(values, nb).get(), DIGEST_ALL, 1)).second)
                << describe({{"place", place}, {"nb", nb}});
    }
    EXPECT_NE(digest_matrix(to_tiles(Matrix(2, 8), 8).get(), DIGEST_ALL, 1),
              digest_matrix(to_tiles(Matrix(8, 2), 8).get(), DIGEST_ALL, 1));
}

TEST(Digest, IsTheSumOverAllTiles)
{
    TileMatrix A = to_tiles(random_matrix(11, 9, 5), 4);
    uint64_t sum = 0;
    for (size_t j = 0; j < A->nt; j++)
        for (size_t i = 0; i < A->mt; i++)
            sum += digest_tile(tile_at(A.get(), i, j), i + j * A->mt);
    EXPECT_EQ(digest_matrix(A.get(), DIGEST_ALL, 1), sum);
}

TEST(DigestIntegers, DependOnEveryValueAndItsPlace)
{
    const std::vector<int> values = {1, 2, 3}, swapped = {2, 1, 3}, other = {1, 2, 4};
    const uint64_t digest = digest_integers(7, values.data(), 3);
    EXPECT_EQ(digest, digest_integers(7, values.data(), 3));
    EXPECT_NE(digest, digest_integers(8, values.data(), 3));
    EXPECT_NE(digest, digest_integers(7, swapped.data(), 3));
    EXPECT_NE(digest, digest_integers(7, other.data(), 3));
    EXPECT_NE(digest, digest_integers(7, values.data(), 2));
    EXPECT_EQ(digest_integers(7, values.data(), 0), 7U);
}
