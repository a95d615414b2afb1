// SPDX-License-Identifier: BSD-3-Clause
// What is known of a configuration before it runs.
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
