/* SPDX-License-Identifier: BSD-3-Clause
 * The tiles taken where the user gives none. */
#include <cmath>

#include "tests/support.h"

static const processor ZEN4 = {"AuthenticAMD", "25", "17"};

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
