/* SPDX-License-Identifier: BSD-3-Clause
 * Tall tiles, the shapes that users write, and the tiles taken where none is asked for. */
#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support.h"

/* ---- parts of tiles ---- */

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
    for (const Subject &subject : subjects()) {
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

/* ---- what users write ---- */

static std::string read_and_written(const char *text)
{
    char written[TILE_SHAPE_TEXT_SIZE];
    return tile_shape_text(tile_shape_parse(text, "--tile", 100000), written);
}

TEST(TileShape, IsWrittenAsItIsRead)
{
    for (const char *text : {"1", "192", "100000", "384x192", "2x1", "100000x1"})
        EXPECT_EQ(read_and_written(text), text);
    EXPECT_EQ(read_and_written("64x64"), "64");
}

TEST(TileShapeDeathTest, RefusesWhatIsNoTile)
{
    for (const char *text : {"", "0", "x", "64x", "x64", "64x0", "0x64", "64x64x64", "-64", "64 ",
                             " 64", "6.4", "64X32", "100001", "99999999999999999999"})
        EXPECT_EXIT(tile_shape_parse(text, "--tile", 100000), testing::ExitedWithCode(POLLUX_USAGE),
                    "a tile is NB, or MBxNB")
            << text;
    EXPECT_EXIT(tile_shape_parse("100x64", "--tile", 100000), testing::ExitedWithCode(POLLUX_USAGE),
                "must be a multiple");
}

/* ---- defaults ---- */

static const processor ZEN4 = {"AuthenticAMD", "25", "17"};

TEST(DefaultTile, IsForTheFamilyOfTheProcessor)
{
    EXPECT_STREQ(processor_family(ZEN4), "zen4");
    EXPECT_STREQ(processor_family({"AuthenticAMD", "25", "1"}), "any"); /* Zen 3 */
    EXPECT_STREQ(processor_family({"GenuineIntel", "25", "17"}), "any");
    EXPECT_STREQ(processor_family({nullptr, nullptr, nullptr}), "any");
}

TEST(DefaultTile, IsPossibleForEverySizeAndLeavesTilesForEveryThread)
{
    for (processor p : {ZEN4, processor{nullptr, nullptr, nullptr}})
        for (const struct benchmark *benchmark : all_benchmarks())
            for (size_t n : Sizes{1, 2, 100, 127, 1000, 2048, 4096, 8192, 65536, 1000000})
                for (size_t m : Sizes{1, n, 10 * n})
                    for (size_t threads : Sizes{1, 2, 64, 1024}) {
                        SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"threads", threads}}));
                        const tile_choice c = default_tile(p, benchmark->name, m, n, threads);
                        ASSERT_GT(c.shape.nb, 0U);
                        EXPECT_EQ(c.shape.mb % c.shape.nb, 0U);
                        EXPECT_TRUE(c.ib > 0 || !benchmark->inner_block);
                        EXPECT_LE(c.ib, c.shape.nb);
                        const double tiles = std::ceil(double(m) / double(c.shape.mb)) *
                                             std::ceil(double(n) / double(c.shape.nb));
                        if (c.shape.mb > c.shape.nb || c.shape.nb >= 2 * NARROW_TILE) {
                            EXPECT_GE(tiles, double(TASKS_PER_THREAD * threads));
                        }
                    }
}
