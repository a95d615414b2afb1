/* SPDX-License-Identifier: BSD-3-Clause
 * From two readings of a counter to joules: wraps, and what two readings do not tell. */
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <random>

#include "tests/common/energy/machine_tree.h"

static const uint64_t RANGE = 262143328850;

static energy_zone zone_with(uint64_t range)
{
    energy_zone zone = {};
    zone.unit = 1e-6;
    zone.range = range;
    zone.step_seconds = 1e-3;
    zone.most_watts = 1000;
    return zone;
}

static energy_difference difference(uint64_t range, uint64_t begin, uint64_t end, double seconds)
{
    const energy_zone zone = zone_with(range);
    return zone_difference(&zone, {begin, 0}, {end, 0}, seconds);
}

TEST(EnergyCounter, WrapsByItsOwnRange)
{
    EXPECT_DOUBLE_EQ(difference(RANGE, 5, 1000005, 1).joules, 1.0);
    EXPECT_DOUBLE_EQ(difference(RANGE, RANGE - 400000, 599999, 1).joules, 1.0);
    EXPECT_DOUBLE_EQ(difference(65532610987, 65532610987, 1999999, 1).joules, 2.0);
}

TEST(EnergyCounter, FallingWithoutARangeIsUnknown)
{
    for (uint64_t range : {uint64_t(0), NEVER_WRAPS}) {
        EXPECT_FALSE(difference(range, 2000000, 1000000, 1).known) << range;
        EXPECT_TRUE(std::isnan(difference(range, 2000000, 1000000, 1).joules)) << range;
        const std::string reason = difference(range, 2000000, 1000000, 1).reason;
        EXPECT_NE(reason.find("its range is not known"), std::string::npos) << reason;
        EXPECT_DOUBLE_EQ(difference(range, 1000000, 2000000, 1).joules, 1.0) << range;
    }
}

TEST(EnergyCounter, IsNeverNegativeWhateverIsRead)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 5000; i++) {
        const uint64_t range = i % 3 == 0 ? 0 : random() >> (random() % 64);
        const energy_difference found =
            difference(range, random() >> (random() % 64), random() >> (random() % 64),
                       std::ldexp(1.0, int(random() % 30) - 10));
        ASSERT_EQ(found.known, !std::isnan(found.joules));
        ASSERT_FALSE(found.joules < 0);
        ASSERT_EQ(found.known, found.reason[0] == '\0');
    }
}

/* 262 kJ are 262 s at 1000 W: from then on one more wrap is possible, unless what is seen already
 * excludes it. */
TEST(EnergyCounter, MoreWrapsThanCanBeSeenAreUnknown)
{
    EXPECT_TRUE(difference(RANGE, 0, 20000000000, 200).known);
    EXPECT_FALSE(difference(RANGE, 0, 20000000000, 300).known);
    EXPECT_TRUE(difference(RANGE, 0, 50000000000, 300).known);
    EXPECT_FALSE(difference(RANGE, 50000000000, 0, 600).known);
    // The least range there is stands for one that is not known; 64 bits never wrap.
    EXPECT_FALSE(difference(0, 0, 20000000000, 100).known);
    EXPECT_TRUE(difference(NEVER_WRAPS, 0, 20000000000, 1e6).known);
    const std::string reason = difference(RANGE, 0, 20000000000, 300).reason;
    EXPECT_NE(reason.find("pollux power"), std::string::npos) << reason;
}

TEST(EnergyCounter, MoreThanAZoneCanTakeIsUnknown)
{
    EXPECT_TRUE(difference(RANGE, 0, 999000000, 1).known);
    EXPECT_FALSE(difference(RANGE, 0, 2000000000, 1).known);
    EXPECT_FALSE(difference(RANGE, RANGE / 2, 0, 1).known); // a counter that was reset
}

TEST(EnergyCounter, WhatExceedsItsRangeIsUnknown)
{
    EXPECT_FALSE(difference(RANGE, 0, RANGE + 1, 1).known);
    EXPECT_FALSE(difference(RANGE, RANGE + 1, RANGE + 2, 1).known);
}

class EnergyFile : public Files {};

TEST_F(EnergyFile, OnlyAWholeNumberIsACount)
{
    struct {
        const char *text;
        bool is_count;
        uint64_t value;
    } const cases[] = {{"12\n", true, 12},
                       {"12", true, 12},
                       {"0\n", true, 0},
                       {"18446744073709551615\n", true, UINT64_MAX},
                       {"123 J 1790000000000000 us\n", true, 123},
                       {"18446744073709551616\n", false, 0},
                       {"", false, 0},
                       {"\n", false, 0},
                       {"-5\n", false, 0},
                       {"+5\n", false, 0},
                       {" 5\n", false, 0},
                       {"12abc\n", false, 0},
                       {"1e9\n", false, 0},
                       {"0x10\n", false, 0},
                       {"unknown\n", false, 0}};
    for (const auto &c : cases) {
        energy_zone zone = zone_with(0);
        snprintf(zone.path, sizeof zone.path, "%s", write(c.text).c_str());
        zone_open(&zone);
        const energy_count count = zone_read(&zone);
        EXPECT_EQ(count.error, c.is_count ? 0 : NOT_A_COUNT) << c.text;
        EXPECT_EQ(count.value, c.value) << c.text;
        EXPECT_EQ(zone_difference(&zone, count, count, 1).known, c.is_count) << c.text;
        close(zone.descriptor);
    }
}

TEST_F(EnergyFile, AFolderInPlaceOfACounterIsUnknown)
{
    energy_zone zone = zone_with(0);
    snprintf(zone.path, sizeof zone.path, "%s", folder.c_str());
    zone_open(&zone);
    const energy_count count = zone_read(&zone);
    EXPECT_EQ(count.error, EISDIR);
    EXPECT_FALSE(zone_difference(&zone, count, count, 1).known);
    close(zone.descriptor);
}
