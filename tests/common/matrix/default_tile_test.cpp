/* SPDX-License-Identifier: BSD-3-Clause
 * The tiles taken where the user gives none. */
#include <cmath>

#include "tests/support.h"

static const processor ZEN4 = {"AuthenticAMD", "25", "17"};
static const processor OTHER = {nullptr, nullptr, nullptr};

static bool measured_with_this_blas()
{
    return std::string(kernel_set_names[KERNELS_BLAS]) == "openblas";
}

/* Every processor, kernel set and benchmark, with both tables. */
static std::vector<tile_key> keys()
{
    std::vector<tile_key> found;
    for (processor p : {ZEN4, OTHER})
        for (kernel_set kernels : {KERNELS_BLAS, KERNELS_TUNED, KERNELS_LOOPS})
            for (const struct benchmark *benchmark : all_benchmarks())
                for (const char *core : {"Zen", "Cooperlake"})
                    for (bool fastest : {false, true})
                        found.push_back({p, kernels, core, benchmark->name, fastest});
    return found;
}

static std::string described(const tile_key &key)
{
    return std::string(processor_family(key.processor)) + " " + kernel_set_names[key.kernels] +
           " for " + key.core + " " + key.benchmark + (key.fastest ? " fastest" : "");
}

TEST(DefaultTile, IsPossibleForEverySizeAndLeavesTilesForEveryThread)
{
    for (const tile_key &key : keys())
        for (size_t n : Sizes{1, 2, 100, 127, 1000, 2048, 4096, 8192, 65536, 1000000})
            for (size_t m : Sizes{1, n, 10 * n})
                for (size_t threads : Sizes{1, 2, 64, 1024}) {
                    SCOPED_TRACE(described(key) +
                                 describe({{"m", m}, {"n", n}, {"threads", threads}}));
                    const tile_choice c = default_tile(key, m, n, threads);
                    ASSERT_GT(c.shape.nb, 0U);
                    EXPECT_EQ(c.shape.mb % c.shape.nb, 0U);
                    EXPECT_TRUE(c.ib > 0 || key.benchmark != std::string("qr"));
                    EXPECT_LE(c.ib, c.shape.nb);
                    const double tiles = std::ceil(double(m) / double(c.shape.mb)) *
                                         std::ceil(double(n) / double(c.shape.nb));
                    if (c.shape.mb > c.shape.nb || c.shape.nb >= 2 * NARROW_TILE) {
                        EXPECT_GE(tiles, double(TASKS_PER_THREAD * threads));
                    }
                }
}

TEST(DefaultTile, IsSquareUnlessTheFastestIsWanted)
{
    for (const tile_key &key : keys())
        for (size_t n : Sizes{100, 1024, 2048, 4096, 8192, 100000}) {
            const tile_choice c = default_tile(key, n, n, 1);
            if (!key.fastest) {
                EXPECT_EQ(c.shape.mb, c.shape.nb) << described(key) << describe({{"n", n}});
            }
        }
    const tile_shape tall =
        default_tile({ZEN4, KERNELS_TUNED, nullptr, "lu", true}, 8192, 8192, 2).shape;
    EXPECT_GT(tall.mb, tall.nb);
}

static void expect_same_tiles(processor one, processor other, const std::vector<std::string> &cores)
{
    for (const std::string &core : cores)
        for (const char *benchmark : {"cholesky", "lu", "lu-cw", "qr"})
            for (size_t n : Sizes{512, 1024, 2048, 4096, 8192}) {
                SCOPED_TRACE(core + " " + benchmark + describe({{"n", n}}));
                const tile_key key = {one, KERNELS_BLAS, core.c_str(), benchmark, false};
                const tile_choice first = default_tile(key, n, n, 2);
                const tile_choice second =
                    default_tile({other, KERNELS_BLAS, core.c_str(), benchmark, false}, n, n, 2);
                EXPECT_EQ(first.shape.nb, second.shape.nb);
                EXPECT_EQ(first.ib, second.ib);
            }
}

/* A processor whose OpenBLAS does not know it runs kernels for another. */
TEST(DefaultTile, FollowsTheKernelsOfOpenBlasWhereTheyAreForAvx2)
{
    if (!measured_with_this_blas())
        GTEST_SKIP() << "rows are for OpenBLAS";
    expect_same_tiles(ZEN4, OTHER, {"Zen", "HASWELL"});
    const tile_key own = {ZEN4, KERNELS_BLAS, "Cooperlake", "qr", false};
    const tile_key avx2 = {ZEN4, KERNELS_BLAS, "Zen", "qr", false};
    EXPECT_NE(default_tile(own, 1024, 1024, 2).shape.nb,
              default_tile(avx2, 1024, 1024, 2).shape.nb);
    const tile_key haswell = {ZEN4, KERNELS_BLAS, "Haswell", "qr", false};
    EXPECT_NE(default_tile(haswell, 2048, 2048, 2).ib, default_tile(avx2, 2048, 2048, 2).ib);
}

/* Kernels for AVX-512 were measured on the processors of one family. */
TEST(DefaultTile, OfAProcessorWithoutRowsFollowsTheKernelsForAvx512)
{
    if (!measured_with_this_blas())
        GTEST_SKIP() << "rows are for OpenBLAS";
    expect_same_tiles({"GenuineIntel", "6", "143"}, OTHER,
                      {"SkylakeX", "COOPERLAKE", "SapphireRapids"});
    const tile_key unknown = {OTHER, KERNELS_BLAS, nullptr, "qr", false};
    const tile_key avx512 = {OTHER, KERNELS_BLAS, "SkylakeX", "qr", false};
    EXPECT_NE(default_tile(unknown, 4096, 4096, 2).shape.nb,
              default_tile(avx512, 4096, 4096, 2).shape.nb);
}

static bool guessed(processor p, kernel_set kernels, const char *core)
{
    return default_tile_is_guess({p, kernels, core, "lu", false});
}

TEST(DefaultTile, IsAGuessOnlyWhereNoneWasMeasured)
{
    if (!measured_with_this_blas())
        GTEST_SKIP() << "rows are for OpenBLAS";
    EXPECT_FALSE(guessed(ZEN4, KERNELS_BLAS, "Cooperlake"));
    EXPECT_FALSE(guessed(ZEN4, KERNELS_TUNED, nullptr));
    EXPECT_FALSE(guessed(OTHER, KERNELS_BLAS, "Zen"));
    EXPECT_TRUE(guessed(OTHER, KERNELS_BLAS, "Cooperlake"));
    EXPECT_TRUE(guessed(OTHER, KERNELS_BLAS, nullptr));
    EXPECT_TRUE(guessed(OTHER, KERNELS_TUNED, "Zen"));
    EXPECT_FALSE(default_tile_is_guess({OTHER, KERNELS_LOOPS, nullptr, "jacobi", false}));
}

TEST(DefaultTile, OfAnotherBlasIsAGuess)
{
    if (measured_with_this_blas())
        GTEST_SKIP() << "for builds with another BLAS";
    EXPECT_TRUE(guessed(ZEN4, KERNELS_BLAS, "zen3"));
    EXPECT_FALSE(guessed(ZEN4, KERNELS_TUNED, nullptr));
}
