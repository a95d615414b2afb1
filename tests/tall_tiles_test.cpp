/* SPDX-License-Identifier: BSD-3-Clause
 * Tall tiles. */
#include <algorithm>

#include "tests/support.h"

static const size_t WIDTH = 8;

static void expect_part(const tile_matrix *A, struct tile part, size_t row, size_t rows, size_t j)
{
    EXPECT_EQ(part.rows, rows);
    EXPECT_EQ(part.cols, tile_cols(A, j));
    EXPECT_EQ(part.a, tile_matrix_element(A, row, j * A->nb));
    EXPECT_EQ(part.origin, tile_address(A, row / A->mb, j));
    EXPECT_EQ(part.ld, tile_at(A, row / A->mb, j).ld);
}

TEST(TallTiles, HoldTheRowAtWhichAStepBegins)
{
    for (size_t height : Sizes{1, 2, 3, 50})
        for (auto [m, n] : {std::pair<size_t, size_t>{61, 61}, {61, 20}, {20, 61}, {48, 48}}) {
            SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"height", height}}));
            TileMatrix A(tile_matrix_create(m, n, height * WIDTH, WIDTH, nullptr),
                         tile_matrix_destroy);
            EXPECT_EQ(tile_steps(A.get()), (std::min(m, n) + WIDTH - 1) / WIDTH);
            for (size_t k = 0; k < tile_steps(A.get()); k++)
                for (size_t j = 0; j < A->nt; j++) {
                    const size_t row = k * WIDTH;
                    const size_t end = std::min(m, (row / A->mb + 1) * A->mb);
                    EXPECT_EQ(tile_top(A.get(), k), row / A->mb);
                    expect_part(A.get(), tile_at_step(A.get(), k, j), row, end - row, j);
                    expect_part(A.get(), tile_block(A.get(), k, j), row, std::min(WIDTH, m - row),
                                j);
                }
        }
}

TEST(TallTiles, GiveTheSameFactorsAsSquareOnes)
{
    for (const Subject &subject : subjects(factorizations())) {
        SCOPED_TRACE(subject.name());
        Trial square(subject, {97, 97, 16, 5, 2, 1}), tall(subject, {97, 97, 16, 5, 2, 3});
        square.once(3);
        tall.once(3);
        const Part part = subject.benchmark->symmetric ? Part::lower : Part::all;
        if (!subject.benchmark->round_trip) /* its reflectors depend on the tiles */
            expect_close(part_of(tall.factors(), part), part_of(square.factors(), part), 1e-9);
        if (subject.pivots()) {
            EXPECT_EQ(tall.lu_pivots(), square.lu_pivots());
        }
    }
}
