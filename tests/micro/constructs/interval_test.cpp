// SPDX-License-Identifier: BSD-3-Clause
// The interval for a mean contains the true mean as often as it says.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

extern "C" {
#include "micro/constructs/interval.h"
}

TEST(Interval, IsStudentsForFewValues)
{
    const double values[] = {1.0, 2.0, 3.0, 4.0};
    struct interval interval = interval_of_mean(values, 4);
    EXPECT_DOUBLE_EQ(interval.mean, 2.5);
    EXPECT_NEAR(interval.half_width, 3.182 * std::sqrt(5.0 / 3.0 / 4.0), 1e-12);
}

TEST(Interval, IsNotKnownForOneValue)
{
    const double values[] = {1.5};
    struct interval interval = interval_of_mean(values, 1);
    EXPECT_DOUBLE_EQ(interval.mean, 1.5);
    EXPECT_TRUE(std::isnan(interval.half_width));
}

TEST(Interval, FormsBatchesOfNeighbours)
{
    std::vector<double> values; // pairs of equal values: ten batches without spread inside
    for (int b = 0; b < 10; b++)
        values.insert(values.end(), 2, double(b));
    struct interval interval = interval_of_mean(values.data(), values.size());
    EXPECT_DOUBLE_EQ(interval.mean, 4.5);
    EXPECT_NEAR(interval.half_width, 2.262 * std::sqrt(82.5 / 9.0 / 10.0), 1e-12);
}

namespace {
/** The share of 4000 intervals for 20 values of mean 0 that contain it.
 * @param next the value after another one */
double coverage(const std::function<double(double before, std::mt19937_64 &)> &next)
{
    const int trials = 4000;
    int held = 0;
    std::mt19937_64 random(1);
    for (int t = 0; t < trials; t++) {
        std::vector<double> values(20);
        double value = 0.0;
        for (int i = 0; i < 20; i++) // to where the start no longer matters
            value = next(value, random);
        for (double &v : values)
            v = value = next(value, random);
        struct interval interval = interval_of_mean(values.data(), values.size());
        held += std::fabs(interval.mean) <= interval.half_width;
    }
    return double(held) / trials;
}
} // namespace

TEST(Interval, HoldsForIndependentValues)
{
    double share = coverage(
        [](double, std::mt19937_64 &random) { return std::normal_distribution<double>()(random); });
    EXPECT_GT(share, 0.94);
    EXPECT_LT(share, 0.96);
}

TEST(Interval, HoldsForNeighboursThatResembleEachOther)
{
    double share = coverage([](double before, std::mt19937_64 &random) {
        return 0.2 * before + std::normal_distribution<double>()(random);
    });
    EXPECT_GT(share, 0.92);
}

TEST(Interval, HoldsForValuesWithATailToOneSide)
{
    double share = coverage([](double, std::mt19937_64 &random) {
        return std::exponential_distribution<double>()(random) - 1.0;
    });
    EXPECT_GT(share, 0.91);
}
