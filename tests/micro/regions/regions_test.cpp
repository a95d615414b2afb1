// SPDX-License-Identifier: BSD-3-Clause
// The forms of nested loops run every iteration once, and threads or iterations that are missing are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

extern "C" {
#include "micro/regions/measure.h"
#include "micro/regions/work.h"
}

namespace {
constexpr size_t processors = 2;

regions_configuration configuration(const form &subject, size_t outer, size_t inner)
{
    regions_configuration c = {};
    c.form = &subject;
    c.outer = outer;
    c.inner = inner;
    c.processors = processors;
    c.active_levels = 2;
    return c;
}

/** A repetition, and what it shows besides. */
struct Repetition {
    result r = {};
    regions_shown shown;
};

Repetition repeat(const regions_configuration &c)
{
    Repetition repetition;
    regions_bench *bench = regions_create(&c);
    repetition.r.passed = true;
    repetition.shown = regions_repeat(bench, &repetition.r);
    regions_destroy(bench);
    return repetition;
}

/** Inner regions of one thread, without a word. */
void run_serial(loops *all)
{
    loops_note_outer_team(all);
    for (size_t i = 0; i < all->outer; i++) {
        loops_note_inner_team(all, i);
        for (size_t j = 0; j < all->inner; j++)
            loops_iterate(all, i, j);
    }
}

/** The second iteration of the last inner loop is left out. */
void run_most(loops *all)
{
    loops_note_outer_team(all);
    for (size_t i = 0; i < all->outer; i++)
        for (size_t j = 0; j < all->inner; j++)
            if (i + 1 < all->outer || j != 1)
                loops_iterate(all, i, j);
}

/** The first iteration runs a second time. */
void run_more(loops *all)
{
    loops_note_outer_team(all);
    for (size_t i = 0; i < all->outer; i++)
        for (size_t j = 0; j < all->inner; j++)
            loops_iterate(all, i, j);
    loops_iterate(all, 0, 0);
}

form planted(void (*run)(loops *), bool regions)
{
    form subject = {};
    subject.name = "planted";
    subject.regions = regions;
    subject.run = run;
    return subject;
}

std::vector<size_t> distributed(uint64_t seed, size_t alpha, size_t mean, size_t outer)
{
    std::vector<size_t> cycles(outer);
    work_distribute(seed, alpha, mean, outer, cycles.data());
    return cycles;
}
} // namespace

TEST(Forms, RunEveryIterationOnceOnTeamsOfEverySize)
{
    for (const form *f = forms; f->name; f++)
        for (size_t outer : {1, 2, 3})
            for (size_t inner : {1, 2, 5}) {
                if (!f->run)
                    continue;
                auto [r, shown] = repeat(configuration(*f, outer, inner));
                EXPECT_TRUE(r.passed)
                    << f->name << " " << outer << " x " << inner << ": " << r.fault;
                EXPECT_EQ(shown.rounds, 1u); // the span is over after one
                EXPECT_GT(r.value[REGIONS_REGION], 0.0);
                EXPECT_EQ(r.value[REGIONS_IDEAL], 0.0);
                size_t parts = f->flat ? 1 : outer;
                EXPECT_EQ(r.value[REGIONS_OVERHEAD], r.value[REGIONS_REGION] / double(parts));
            }
}

TEST(Forms, HaveTheThreadsOfBothLevels)
{
    for (const form *f = forms; f->name; f++) {
        regions_configuration c = configuration(*f, 3, 2);
        regions_levels given = repeat(c).shown.given;
        EXPECT_EQ(given.outer, f->regions || f->flat ? 3u : processors) << f->name;
        EXPECT_EQ(given.inner, f->regions ? 2u : 0u) << f->name;
    }
}

TEST(Forms, HaveABoundWhereThereIsWork)
{
    for (const form *f = forms; f->name; f++) {
        regions_configuration c = configuration(*f, 2, 2);
        c.work = 50;
        result r = repeat(c).r;
        EXPECT_TRUE(r.passed) << f->name << ": " << r.fault;
        EXPECT_GT(r.value[REGIONS_IDEAL], 0.0);
    }
}

TEST(Levels, AreThoseThatTheSettingsAllow)
{
    const form &parallel = forms[1];
    ASSERT_STREQ(parallel.name, "parallel");
    regions_configuration c = configuration(parallel, 2, 3);
    EXPECT_EQ(regions_all_threads(&c), 6u);
    c.active_levels = 1;
    EXPECT_EQ(regions_requested(&c).inner, 3u);
    EXPECT_EQ(regions_allowed(&c).inner, 1u);
    EXPECT_EQ(regions_all_threads(&c), 2u);
    c.outer = 1; // a region of one thread is not active
    EXPECT_EQ(regions_allowed(&c).inner, 3u);
    c.active_levels = 0;
    EXPECT_EQ(regions_allowed(&c).inner, 1u);
}

TEST(Check, SaysThatSerialInnerRegionsAreNotNested)
{
    form subject = planted(run_serial, true);
    regions_configuration c = configuration(subject, 1, 4);
    auto [r, shown] = repeat(c);
    EXPECT_FALSE(r.passed);
    EXPECT_EQ(shown.given.inner, 1u);
    EXPECT_STREQ(r.fault, "not nested: the runtime gave inner regions 1 of 4 threads");
    c.active_levels = 0; // as the user wants it
    EXPECT_TRUE(repeat(c).r.passed) << repeat(c).r.fault;
    c.inner = 1;
    EXPECT_TRUE(repeat(c).r.passed);
}

TEST(Check, FindsATeamThatIsSmallerThanRequested)
{
    form subject = planted(run_serial, true);
    result r = repeat(configuration(subject, 2, 1)).r;
    EXPECT_FALSE(r.passed);
    EXPECT_STREQ(r.fault, "the runtime gave the outer region 1 of 2 threads");
}

TEST(Check, FindsIterationsThatAreLeftOutOrRunTwice)
{
    form subject = planted(run_most, false);
    regions_configuration c = configuration(subject, 2, 3);
    c.processors = 1;
    result r = repeat(c).r;
    EXPECT_FALSE(r.passed);
    EXPECT_STREQ(r.fault, "inner iteration 1 of outer iteration 1 ran 0 times in 2 rounds");
    subject = planted(run_more, false);
    r = repeat(c).r;
    EXPECT_FALSE(r.passed);
    EXPECT_STREQ(r.fault, "inner iteration 0 of outer iteration 0 ran 4 times in 2 rounds");
}

TEST(Work, HasTheSameTotalHoweverUnevenItIs)
{
    for (size_t outer : {1, 2, 7, 56})
        for (size_t alpha : {0, 1, 4, 16})
            for (uint64_t seed : {0, 42, 43}) {
                std::vector<size_t> cycles = distributed(seed, alpha, 20000, outer);
                EXPECT_EQ(std::accumulate(cycles.begin(), cycles.end(), size_t(0)), 20000 * outer)
                    << outer << " iterations, alpha " << alpha;
            }
    EXPECT_EQ(distributed(42, 0, 20000, 3), std::vector<size_t>(3, 20000));
}

TEST(Work, IsMoreUnevenWithALargerAlpha)
{
    size_t before = 20000;
    for (size_t alpha : {1, 2, 4, 8, 16}) {
        std::vector<size_t> cycles = distributed(42, alpha, 20000, 56);
        size_t longest = *std::max_element(cycles.begin(), cycles.end());
        EXPECT_GT(longest, before) << alpha;
        before = longest;
    }
    EXPECT_NE(distributed(1, 2, 20000, 8), distributed(2, 2, 20000, 8));
}

TEST(Work, CannotTakeLessThanItsShareOrItsLongestIteration)
{
    const std::vector<size_t> cycles = {100, 300};
    EXPECT_EQ(work_bound(cycles.data(), 2, 4, 2), 800.0);
    EXPECT_EQ(work_bound(cycles.data(), 2, 4, 1), 1600.0);
    EXPECT_EQ(work_bound(cycles.data(), 2, 1, 4), 300.0);
    EXPECT_EQ(work_bound(cycles.data(), 2, 4, 100), 300.0);
}
