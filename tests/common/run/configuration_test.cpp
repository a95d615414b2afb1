// SPDX-License-Identifier: BSD-3-Clause
// What is known of a configuration before it runs.
#include <string>

#include "tests/support.h"

namespace {

configuration of_tiles(size_t n, size_t nb, size_t threads)
{
    configuration c = {};
    c.benchmark = &lu;
    c.variant = lu.variants;
    c.m = c.n = n;
    c.mb = c.nb = nb;
    c.threads = threads;
    return c;
}

size_t selftest_order(const configuration &c)
{
    return configuration_selftest_order(&c);
}

size_t bytes_of(const char *variant, size_t threads)
{
    configuration c = of_tiles(4096, 64, threads);
    for (size_t v = 0; v < lu.variant_count; v++)
        if (std::string(lu.variants[v].name) == variant)
            c.variant = &lu.variants[v];
    return configuration_bytes(&c, CHECK_NONE);
}

} // namespace

TEST(Configuration, ProductsOfTheSelfTestAreOfATileButSmall)
{
    EXPECT_EQ(selftest_order(of_tiles(4096, 192, 2)), 192);
    EXPECT_EQ(selftest_order(of_tiles(100, 192, 2)), 100);
    EXPECT_EQ(selftest_order(of_tiles(16384, 16384, 2)), 1024);
}

TEST(Configuration, OneThreadNeedsNoSelfTest)
{
    EXPECT_EQ(selftest_order(of_tiles(4096, 192, 1)), 0);
}

TEST(Configuration, OnlyExchangesInOnePassNeedAColumnForEachThread)
{
    const size_t matrix = bytes_of("depend", 1), column = 4096 * (sizeof(double) + sizeof(int));
    for (const char *variant : {"seq", "forkjoin", "lean", "column", "nopiv"})
        EXPECT_EQ(bytes_of(variant, 8), matrix) << variant;
    EXPECT_EQ(bytes_of("late", 8), matrix + 8 * column);
    EXPECT_EQ(bytes_of("ahead", 8), matrix + 8 * column);
    EXPECT_GT(bytes_of("spread", 8), matrix + 8 * column);
}
