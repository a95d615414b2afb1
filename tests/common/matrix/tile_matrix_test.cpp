/* SPDX-License-Identifier: BSD-3-Clause
 * The tiled matrix: layout, alignment, memory. */
#include <algorithm>
#include <cstring>
#include <set>

#include "tests/support.h"

static const size_t extents[] = {1, 2, 15, 16, 17, 97};
static const size_t tiles[] = {1, 7, 16, 24, 1000};

TEST(TileLeadingDimension, IsWholeCacheLinesButNoMultipleOfAKibibyte)
{
    for (size_t rows = 1; rows < 3000; rows++) {
        const size_t ld = tile_leading_dimension(rows);
        EXPECT_GE(ld, rows);
        EXPECT_LT(ld, rows + 16);
        EXPECT_EQ(ld * sizeof(double) % 64, 0U) << rows;
        EXPECT_NE(ld * sizeof(double) % 1024, 0U) << rows;
    }
}

/* Tile (i, j) of A, which has tiles of nb × nb at most. */
static void check_tile(const tile_matrix *A, size_t i, size_t j)
{
    SCOPED_TRACE(describe({{"i", i}, {"j", j}}));
    const struct tile t = tile_at(A, i, j);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.a) % 64, 0U);
    EXPECT_EQ(t.a, tile_address(A, i, j));
    EXPECT_EQ(t.a, tile_column(A, j)[i]);
    EXPECT_EQ(t.rows, std::min(A->mb, A->m - i * A->mb));
    EXPECT_EQ(t.cols, std::min(A->nb, A->n - j * A->nb));
    EXPECT_EQ(t.ld, tile_leading_dimension(t.rows));
    EXPECT_GE(t.a, A->storage);
    EXPECT_LE(t.a + t.ld * t.cols, A->storage + A->bytes / sizeof(double));
}

TEST(TileMatrix, HasAlignedTilesAndSmallerOnesAtItsEdges)
{
    for (size_t m : extents)
        for (size_t n : extents)
            for (size_t nb : tiles) {
                SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"nb", nb}}));
                TileMatrix A = make_tile_matrix(m, n, nb);
                EXPECT_EQ(A->mb, std::min(nb, m));
                EXPECT_EQ(A->nb, std::min(nb, n));
                EXPECT_EQ(A->mt, (m + A->mb - 1) / A->mb);
                EXPECT_EQ(A->nt, (n + A->nb - 1) / A->nb);
                EXPECT_EQ(A->bytes, tile_matrix_bytes(m, n, nb, nb));
                for (size_t i = 0; i < A->mt; i++)
                    for (size_t j = 0; j < A->nt; j++)
                        check_tile(A.get(), i, j);
            }
}

TEST(TileMatrix, HasAPlaceOfItsOwnForEveryElement)
{
    for (size_t nb : tiles) {
        TileMatrix A = make_tile_matrix(53, 29, nb);
        std::set<double *> places;
        for (size_t i = 0; i < 53; i++)
            for (size_t j = 0; j < 29; j++)
                places.insert(tile_matrix_element(A.get(), i, j));
        EXPECT_EQ(places.size(), 53U * 29U) << nb;
        EXPECT_EQ(tile_matrix_element(A.get(), 52, 28),
                  tile_address(A.get(), A->mt - 1, A->nt - 1) + 52 % A->mb +
                      28 % A->nb * tile_leading_dimension(tile_rows(A.get(), A->mt - 1)));
    }
}

TEST(TileMatrix, MayHaveTilesThatAreNotSquare)
{
    TileMatrix A(tile_matrix_create(10, 40, 4, 16, nullptr), tile_matrix_destroy);
    EXPECT_EQ(A->mt, 3U);
    EXPECT_EQ(A->nt, 3U);
    EXPECT_EQ(tile_at(A.get(), 2, 2).rows, 2U);
    EXPECT_EQ(tile_at(A.get(), 2, 2).cols, 8U);
}

TEST(TileMatrixBytes, SaturateInsteadOfOverflowing)
{
    const size_t huge = SIZE_MAX / 2;
    EXPECT_EQ(tile_matrix_bytes(huge, huge, 16, 16), SIZE_MAX);
    EXPECT_EQ(tile_matrix_bytes(huge, 1, huge, 1), SIZE_MAX);
    EXPECT_EQ(tile_matrix_bytes(SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX), SIZE_MAX);
    EXPECT_EQ(tile_matrix_bytes(1, SIZE_MAX, 1, 1), SIZE_MAX);
    EXPECT_EQ(tile_matrix_bytes(INT_MAX, INT_MAX, 1, 1), SIZE_MAX);
    EXPECT_EQ(tile_matrix_bytes(100, 10, 16, 5), 7 * 2 * 16 * 5 * sizeof(double));
    EXPECT_EQ(tile_matrix_create(huge, huge, 16, 16, nullptr), nullptr);
}

TEST(TileMatrix, DestroyTakesNull)
{
    tile_matrix_destroy(nullptr);
    execution_destroy(nullptr);
}
