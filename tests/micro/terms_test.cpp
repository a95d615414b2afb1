/* SPDX-License-Identifier: BSD-3-Clause
 * The terms, from times that are written down here. */
#include <gtest/gtest.h>

#include <cmath>

#include "tests/micro/micro.h"

namespace {
void ran(Instance &run, size_t task, int thread, int64_t begin, int64_t end)
{
    run.cells[task].thread = thread;
    run.cells[task].begin_ns = begin;
    run.cells[task].end_ns = end;
}
} // namespace

TEST(Release, IsTheTimeFromTheEndOfTheLastPredecessor)
{
    Instance run({{}, {}, {0, 1}});
    ran(run, 0, 0, 0, 100);
    ran(run, 1, 1, 0, 300);
    ran(run, 2, 0, 450, 500);
    EXPECT_DOUBLE_EQ(release_ns(&run.state, 1, 0.0), 150.0);
    EXPECT_DOUBLE_EQ(release_ns(&run.state, 1, 20.0), 130.0);
}

TEST(Release, DoesNotCountWhatTheThreadDidInBetween)
{
    Instance run({{}, {}, {0}});
    ran(run, 0, 0, 0, 100);
    ran(run, 1, 1, 50, 400);
    ran(run, 2, 1, 430, 500);
    EXPECT_DOUBLE_EQ(release_ns(&run.state, 1, 0.0), 30.0);
}

TEST(Release, IsTheMedianOverTheTasksWithPredecessors)
{
    Instance run({{}, {0}, {1}, {2}});
    ran(run, 0, 0, 1000, 1010);
    ran(run, 1, 0, 1020, 1030);
    ran(run, 2, 0, 1060, 1070);
    ran(run, 3, 0, 9000, 9010);
    EXPECT_DOUBLE_EQ(release_ns(&run.state, 1, 0.0), 30.0);
}

TEST(Release, IsNotKnownWhereNoTaskWaits)
{
    Instance run({{}, {}});
    EXPECT_TRUE(std::isnan(release_ns(&run.state, 1, 0.0)));
}

TEST(Release, OfSeveralInstancesDoesNotCountWhatTheThreadDidForAnother)
{
    Instance first({{}, {0}}), second({{}, {0}});
    ran(first, 0, 0, 0, 100);
    ran(first, 1, 0, 420, 430);
    ran(second, 0, 0, 110, 300);
    ran(second, 1, 0, 310, 400);
    const struct run runs[] = {first.state, second.state};
    EXPECT_DOUBLE_EQ(release_ns(runs, 2, 0.0), 15.0); // 420 - 400 and 310 - 300
    EXPECT_DOUBLE_EQ(completion_ns(runs, 2, 500, 0.0), 70.0);
}

TEST(Completion, IsTheTimeFromTheEndOfTheLastTask)
{
    Instance run({{}, {}});
    ran(run, 0, 0, 0, 700);
    ran(run, 1, 1, 0, 400);
    EXPECT_DOUBLE_EQ(completion_ns(&run.state, 1, 1000, 20.0), 280.0);
}

TEST(Slope, IsThatOfTheLineThroughThePoints)
{
    const double items[] = {1.0, 2.0, 4.0, 8.0}, exact[] = {105.0, 110.0, 120.0, 140.0};
    EXPECT_DOUBLE_EQ(slope(items, exact, 4), 5.0);
    const double three[] = {0.0, 1.0, 2.0}, bent[] = {0.0, 4.0, 2.0};
    EXPECT_DOUBLE_EQ(slope(three, bent, 3), 1.0);
    EXPECT_TRUE(std::isnan(slope(items, exact, 1)));
    const double unknown[] = {1.0, 2.0, std::nan(""), 4.0};
    EXPECT_TRUE(std::isnan(slope(items, unknown, 4)));
}
