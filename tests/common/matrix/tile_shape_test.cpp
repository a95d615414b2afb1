/* SPDX-License-Identifier: BSD-3-Clause
 * The shapes of tiles as users write them. */
#include <string>

#include "tests/support.h"

static std::string read_and_written(const char *text)
{
    std::vector<char> written(TILE_SHAPE_TEXT_SIZE);
    return tile_shape_text(tile_shape_parse(text, "--tile", 100000), written.data());
}

TEST(TileShape, IsWrittenAsItIsRead)
{
    for (const char *text : {"1", "192", "100000", "384x192", "2x1", "100000x1"})
        EXPECT_EQ(read_and_written(text), text);
    EXPECT_EQ(read_and_written("64x64"), "64");
}

TEST(TileList, HasShapesRangesAndWords)
{
    const tile_list list = tile_list_parse("64,256x128,fastest,8:24:8", "--tile");
    ASSERT_EQ(list.count, 6U);
    const tile_source sources[] = {TILE_OPTION, TILE_OPTION, TILE_FASTEST,
                                   TILE_OPTION, TILE_OPTION, TILE_OPTION};
    const size_t widths[] = {64, 128, 0, 8, 16, 24};
    for (size_t i = 0; i < list.count; i++) {
        EXPECT_EQ(list.value[i].source, sources[i]) << i;
        EXPECT_EQ(list.value[i].shape.nb, widths[i]) << i;
    }
    EXPECT_EQ(list.value[1].shape.mb, 256U);
}

TEST(TileListDeathTest, RefusesOtherWords)
{
    for (const char *text : {"fast", "Fastest", "fastest,", "table", "default", "fastest:128:64"})
        EXPECT_EXIT(tile_list_parse(text, "--tile"), testing::ExitedWithCode(POLLUX_USAGE),
                    "--tile")
            << text;
}

TEST(TileShapeDeathTest, RefusesWhatIsNoTile)
{
    for (const char *text : {"", "0", "x", "64x", "x64", "64x0", "0x64", "64x64x64", "-64", "64 ",
                             " 64", "6.4", "64X32", "100001", "99999999999999999999"})
        EXPECT_EXIT(tile_shape_parse(text, "--tile", 100000), testing::ExitedWithCode(POLLUX_USAGE),
                    "a tile is NB, MBxNB for")
            << text;
    EXPECT_EXIT(tile_shape_parse("100x64", "--tile", 100000), testing::ExitedWithCode(POLLUX_USAGE),
                "must be a multiple");
}
