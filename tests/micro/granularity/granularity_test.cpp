/* SPDX-License-Identifier: BSD-3-Clause
 * METG against curves computed by hand, efficiencies of a runtime whose cost is known, and tasks that compute. */
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <jansson.h>

#include "tests/micro/micro.h"

extern "C" {
#include "micro/granularity/curves.h"
#include "micro/granularity/metg.h"
#include "micro/granularity/sweep.h"
#include "micro/granularity/work.h"
}

namespace {
struct Curve {
    const char *name;
    std::vector<double> granularity, efficiency;
    double threshold, expected; // NaN: not known
    const char *reason;
};

const double NONE = std::numeric_limits<double>::quiet_NaN();

const Curve CURVES[] = {
    {"half way between two points", {100, 200, 400}, {0.2, 0.4, 0.6}, 0.5, 300, nullptr},
    {"a quarter of the way", {100, 200, 400}, {0.1, 0.4, 0.8}, 0.5, 250, nullptr},
    {"exactly at a point", {100, 200, 400}, {0.2, 0.5, 0.9}, 0.5, 200, nullptr},
    {"at the last point", {100, 200, 400}, {0.2, 0.5, 0.9}, 0.9, 400, nullptr},
    {"the smallest of two crossings",
     {100, 200, 300, 400},
     {0.1, 0.7, 0.3, 0.8},
     0.4,
     150,
     nullptr},
    {"a smaller grain that took longer is no neighbour",
     {100, 500, 400},
     {0.1, 0.2, 0.6},
     0.5,
     400,
     nullptr},
    {"never efficient", {100, 200}, {0.1, 0.4}, 0.5, NONE, "--largest-grain"},
    {"always efficient, and faster with a larger grain",
     {300, 200, 400},
     {0.6, 0.7, 0.9},
     0.5,
     NONE,
     "--smallest-grain"},
    {"always efficient", {100, 200}, {0.6, 0.9}, 0.5, NONE, "--smallest-grain"},
};
} // namespace

TEST(Metg, IsInterpolatedBetweenThePointsAroundTheThreshold)
{
    for (const Curve &c : CURVES) {
        const char *reason = "unset";
        double found = metg(c.granularity.data(), c.efficiency.data(), c.granularity.size(),
                            c.threshold, &reason);
        if (c.reason) {
            EXPECT_TRUE(std::isnan(found)) << c.name;
            EXPECT_NE(std::string(reason).find(c.reason), std::string::npos) << c.name;
        } else {
            EXPECT_NEAR(found, c.expected, 1e-9) << c.name;
            EXPECT_EQ(reason, nullptr) << c.name;
        }
    }
}

TEST(Metg, OfARuntimeWhoseTasksCostAMicrosecondIsTwoMicroseconds)
{
    struct sweep sweep = {};
    sweep.tasks = 100;
    sweep.threads = 4;
    sweep.kind = WORK_CYCLES;
    sweep.unit_ns = 0.5;
    std::vector<double> granularity, efficiency;
    for (size_t work = 128; work <= 65536; work *= 2) { // ns; all threads are always busy
        double elapsed = 100.0 * (1000.0 + static_cast<double>(work)) / 4.0;
        struct curve_point point = sweep_point(&sweep, work, elapsed, static_cast<double>(work));
        EXPECT_DOUBLE_EQ(point.ns_per_task, elapsed / 100.0);
        EXPECT_DOUBLE_EQ(point.granularity_ns, 1000.0 + static_cast<double>(work));
        EXPECT_DOUBLE_EQ(point.efficiency_best, 0.5 * point.efficiency);
        granularity.push_back(point.granularity_ns);
        efficiency.push_back(point.efficiency);
    }
    const char *reason;
    // Between 1512 ns, of efficiency 512 / 1512, and 2024 ns, of 1024 / 2024.
    EXPECT_NEAR(metg(granularity.data(), efficiency.data(), granularity.size(), 0.5, &reason),
                2005.856, 1e-6);
}

TEST(Answer, NamesTheSmallestTileThatIsEfficient)
{
    const size_t grains[] = {32, 64, 96};
    char answer[ANSWER_SIZE];
    const struct {
        double efficiency[3], attainable;
        const char *words;
    } cases[] = {{{0.5, 0.8, 0.9}, 1.0, "below NB = 96 "},
                 {{0.5, 0.91, 0.95}, 1.0, "below NB = 64 "},
                 {{0.5, 0.91, 0.89}, 1.0, "below NB = 64 "}, // a larger one does not count
                 {{0.91, 0.92, 0.95}, 1.0, "already with NB = 32 "},
                 {{0.5, 0.8, 0.89}, 0.95, "up to NB = 96 "},
                 {{0.3, 0.4, 0.5}, 0.5, "the pattern allows 50 % at most "}};
    for (const auto &c : cases)
        EXPECT_EQ(
            std::string(curves_answer(grains, c.efficiency, 3, c.attainable, answer)).find(c.words),
            0u)
            << answer;
}

TEST(Grains, AreDoubledAndOrdersOfTilesHaveOneBetween)
{
    size_t grains[GRAINS_MAX];
    EXPECT_EQ(work_grains(WORK_CYCLES, 0, 0, grains), 13u);
    EXPECT_EQ(grains[0], 16u);
    EXPECT_EQ(grains[12], 65536u);
    EXPECT_EQ(work_grains(WORK_CYCLES, 1, 2147483647, grains), 31u);
    ASSERT_EQ(work_grains(WORK_DGEMM, 0, 0, grains), 10u);
    for (size_t i = 0; i < 10; i++)
        EXPECT_EQ(grains[i], (std::vector<size_t>{8, 12, 16, 24, 32, 48, 64, 96, 128, 192}[i]));
    EXPECT_LE(work_grains(WORK_DGEMM, 1, DGEMM_MAX, grains), static_cast<size_t>(GRAINS_MAX));
    EXPECT_EQ(work_grains(WORK_CYCLES, 32, 16, grains), 0u);
}

TEST(Grains, OfTilesCountTheMultiplyAddsOfAProduct)
{
    EXPECT_EQ(work_units(WORK_CYCLES, 100), 100.0);
    EXPECT_EQ(work_units(WORK_DGEMM, 100), 1e6);
}

TEST(Attainable, FollowsFromTheLongestPath)
{
    const struct {
        const struct pattern *pattern;
        size_t threads;
        double expected;
    } cases[] = {{&chain, 1, 1.0},
                 {&chain, 2, 0.5},
                 {&chain, 8, 0.125},
                 {&independent, 4, 1.0},
                 {&independent, 96, 2.0 / 3.0},
                 {&stencil_1d, 16, 0.5}};
    for (const auto &c : cases) {
        const struct micro_configuration configuration = {c.pattern,     64, 1, 64, c.threads, 1,
                                                          CLAUSES_ABSENT};
        struct bench *bench = bench_create(&configuration, 1);
        EXPECT_DOUBLE_EQ(bench_attainable(bench), c.expected) << c.pattern->name;
        bench_destroy(bench);
    }
}

namespace {
struct repetition repeat(const struct pattern &pattern, enum work_kind kind, size_t threads,
                         std::vector<curve_point> &curve)
{
    const struct micro_configuration configuration = {&pattern, 100,           1, 64, threads,
                                                      1,        CLAUSES_ABSENT};
    struct sweep sweep = {};
    sweep.bench = bench_create(&configuration, 1);
    sweep.kind = kind;
    sweep.tasks = 100;
    sweep.threads = threads;
    sweep.count = work_grains(kind, 2, 8, sweep.grains);
    sweep.work = work_create(kind, threads, 8);
    sweep.unit_ns = NONE;
    curve.resize(sweep.count);
    struct repetition r = sweep_repeat(&sweep, curve.data());
    work_destroy(sweep.work);
    bench_destroy(sweep.bench);
    return r;
}
} // namespace

TEST(Sweep, TasksThatComputeCheckTheirOrder)
{
    std::vector<curve_point> curve;
    for (enum work_kind kind : {WORK_CYCLES, WORK_DGEMM}) {
        EXPECT_TRUE(repeat(stencil_1d, kind, 2, curve).passed);
        for (const curve_point &point : curve) {
            EXPECT_GT(point.efficiency, 0.0);
            EXPECT_TRUE(std::isnan(point.efficiency_best));
        }
        struct repetition r = repeat(swapped, kind, 2, curve);
        EXPECT_FALSE(r.passed);
        EXPECT_NE(std::string(r.fault).find("did not wait for"), std::string::npos) << r.fault;
    }
}

TEST(Sweep, EveryTaskComputesOnce)
{
    const struct micro_configuration configuration = {&independent,  100, 1, 64, 2, 1,
                                                      CLAUSES_ABSENT};
    struct bench *bench = bench_create(&configuration, 1);
    struct repetition r = {};
    r.passed = true;
    size_t calls = 0;
    bench_set_work(
        bench,
        [](void *count) { __atomic_fetch_add(static_cast<size_t *>(count), 1, __ATOMIC_RELAXED); },
        &calls);
    bench_pass(bench, &r);
    EXPECT_TRUE(r.passed);
    EXPECT_GT(r.ungated_ns, 0.0);
    EXPECT_EQ(calls, 100u);
    bench_destroy(bench);
}
