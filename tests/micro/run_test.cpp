/* SPDX-License-Identifier: BSD-3-Clause
 * What tasks check: called by hand in right and wrong orders, and in patterns with planted errors on the
 * runtime. */
#include <gtest/gtest.h>

#include <cmath>

#include "tests/micro/micro.h"

TEST(Check, PassesWhereEveryTaskRunsOnceAfterItsPredecessors)
{
    Instance run({{}, {}, {0, 1}});
    for (size_t task : {1, 0, 2})
        run_task(&run.state, task);
    EXPECT_TRUE(run_passed(&run.state));
}

TEST(Check, NamesThePredecessorThatHadNotEnded)
{
    Instance run({{}, {}, {0, 1}});
    for (size_t task : {0, 2, 1})
        run_task(&run.state, task);
    EXPECT_FALSE(run_passed(&run.state));
    EXPECT_EQ(run.state.faults, 1u);
    EXPECT_EQ(run.state.faulty, 2u);
    EXPECT_EQ(run.state.missing, 1u);
}

TEST(Check, FindsATaskThatHasNotWaitedForAnother)
{
    Instance run({{}, {0}});
    run_task(&run.state, 0);
    run_require(&run.state, 0, 1);
    EXPECT_EQ(run.state.faults, 1u);
    EXPECT_EQ(run.state.faulty, 0u);
    EXPECT_EQ(run.state.missing, 1u);
}

TEST(Check, FindsTasksThatRunTwiceOrNotAtAll)
{
    Instance twice({{}, {}});
    for (size_t task : {0, 1, 1})
        run_task(&twice.state, task);
    EXPECT_FALSE(run_passed(&twice.state));
    EXPECT_EQ(twice.state.faulty, 1u);
    Instance never({{}, {}});
    run_task(&never.state, 0);
    EXPECT_FALSE(run_passed(&never.state));
    EXPECT_EQ(never.state.faulty, 1u);
}

TEST(Check, FindsATaskThatBeginsAgainBeforeItHasEnded)
{
    for (bool timed : {false, true}) {
        Instance run(std::vector<std::vector<size_t>>(1));
        run.state.timed = timed;
        run.state.work = [](void *argument) {
            auto *state = static_cast<struct run *>(argument);
            state->work = nullptr;
            run_task(state, 0);
        };
        run.state.work_argument = &run.state;
        run_task(&run.state, 0);
        EXPECT_FALSE(run_passed(&run.state)) << timed;
        EXPECT_EQ(run.state.faults, 1u);
        EXPECT_EQ(run.state.faulty, run.state.missing);
    }
}

TEST(Check, FindsTasksThatExcludeEachOtherAndRunAtOnce)
{
    Instance run({{}, {}});
    run_task_alone(&run.state, 0);
    run.state.inside = 1; // another one is running
    run_task_alone(&run.state, 1);
    EXPECT_EQ(run.state.faults, 0u);
    EXPECT_FALSE(run_passed(&run.state));
}

TEST(Check, NoticesATaskThatRunsWhileTheGateIsClosed)
{
    const std::vector<std::vector<size_t>> alone(1);
    Instance run(alone);
    run.state.open = 0;
    run_task(&run.state, 0);
    EXPECT_TRUE(run.state.early);
    run_reset(&run.state);
    run_open(&run.state);
    run_task(&run.state, 0);
    EXPECT_FALSE(run.state.early);
    EXPECT_TRUE(run_passed(&run.state));
}

TEST(EndedShare, IsThatOfTheTasksThatHaveEnded)
{
    Instance run(std::vector<std::vector<size_t>>(1000));
    EXPECT_DOUBLE_EQ(run_ended_share(&run.state), 0.0);
    for (size_t task = 0; task < 250; task++)
        run_task(&run.state, task);
    EXPECT_NEAR(run_ended_share(&run.state), 0.25, 0.02);
    for (size_t task = 250; task < 1000; task++)
        run_task(&run.state, task);
    EXPECT_DOUBLE_EQ(run_ended_share(&run.state), 1.0);
}

namespace {
struct repetition repeat(const struct pattern &pattern, size_t tasks, size_t threads,
                         size_t creators = 1, enum clauses priorities = CLAUSES_ABSENT,
                         size_t items = 1)
{
    const struct micro_configuration configuration = {
        &pattern,  creators * pattern_fit(&pattern, tasks), items, 64, threads, creators,
        priorities};
    struct bench *bench = bench_create(&configuration, 1);
    struct repetition result = bench_repeat(bench, 0.0);
    bench_destroy(bench);
    return result;
}
} // namespace

TEST(Planted, DependencesThatAreMissingAreFoundAndGiveNoTime)
{
    for (size_t threads : {1, 2}) {
        struct repetition r = repeat(swapped, 100, threads);
        EXPECT_FALSE(r.passed);
        EXPECT_NE(std::string(r.fault).find("did not wait for"), std::string::npos) << r.fault;
        EXPECT_TRUE(std::isnan(r.ungated_ns));
        for (int t = 0; t < TERMS; t++) {
            EXPECT_TRUE(std::isnan(r.terms.ns[t]));
            EXPECT_NE(r.terms.reason[t], nullptr);
        }
    }
}

TEST(Planted, ATaskThatIsNeverCreatedIsFound)
{
    struct repetition r = repeat(incomplete, 10, 2);
    EXPECT_FALSE(r.passed);
    EXPECT_NE(std::string(r.fault).find("task 9 did not run exactly once"), std::string::npos)
        << r.fault;
}

TEST(Planted, TasksThatRunWhileTheyAreCreatedLeaveTheirTermsUnknown)
{
    for (size_t threads : {1, 2}) {
        struct repetition r = repeat(hasty, 100, threads);
        EXPECT_TRUE(r.passed) << r.fault;
        EXPECT_GT(r.ungated_ns, 0.0);
        EXPECT_TRUE(std::isnan(r.terms.ns[TERM_CREATION]));
        EXPECT_NE(std::string(r.terms.reason[TERM_CREATION]).find("while they were created"),
                  std::string::npos);
        EXPECT_GT(r.open_created_ns, 0.0);
        EXPECT_EQ(r.left_ns, 0.0);
    }
}

TEST(Planted, TasksThatRunEarlyWhereTheyAreTimedLeaveAnItemUnknownToo)
{
    struct repetition r = repeat(hasty_if_timed, 16, 2, 1, CLAUSES_ABSENT, 4);
    EXPECT_TRUE(r.passed) << r.fault;
    for (int t = 0; t < TERMS; t++) {
        EXPECT_TRUE(std::isnan(r.terms.ns[t])) << t;
        EXPECT_NE(std::string(r.terms.reason[t]).find("while they were created"),
                  std::string::npos);
    }
}

TEST(Patterns, LeaveAtMostTheTimeOfAllTasksWhenTheLastIsCreated)
{
    struct repetition r = repeat(chain, 200, 2);
    ASSERT_TRUE(r.passed) << r.fault;
    EXPECT_GT(r.open_created_ns, 0.0);
    if (std::isfinite(r.emptied_ns)) {
        EXPECT_GE(r.left_ns, 0.0);
        EXPECT_LE(r.left_ns, r.emptied_ns);
    }
}

TEST(Priorities, LeaveTheOrderAsItIs)
{
    for (const struct pattern *pattern : {&chain, &fan_out})
        for (enum clauses priorities : {CLAUSES_EQUAL, CLAUSES_RANDOM}) {
            struct repetition r = repeat(*pattern, 200, 2, 1, priorities);
            EXPECT_TRUE(r.passed) << pattern->name << ": " << r.fault;
        }
}

TEST(Priorities, AreEqualOrSpreadOverTheirRange)
{
    struct shape shape = pattern_shape(&chain, 1000, 1, 7);
    std::vector<int> times(TASK_PRIORITY_MAX + 1);
    shape.priorities = CLAUSES_RANDOM;
    for (size_t task = 0; task < shape.tasks; task++)
        times.at(static_cast<size_t>(random_priority(&shape, task)))++;
    EXPECT_EQ(times[0], 0);
    for (size_t priority = 1; priority < times.size(); priority++)
        EXPECT_GT(times[priority], 5) << priority;
    shape.priorities = CLAUSES_EQUAL;
    for (size_t task = 0; task < shape.tasks; task++)
        EXPECT_EQ(random_priority(&shape, task), 1);
}

TEST(Creators, PassWithAnInstanceOfEveryPatternEach)
{
    for (size_t p = 0; patterns[p]; p++)
        for (size_t threads : {2, 3, 5}) {
            if (!patterns[p]->create)
                continue;
            struct repetition r = repeat(*patterns[p], 60, threads, 2);
            EXPECT_TRUE(r.passed) << patterns[p]->name << " " << threads << ": " << r.fault;
        }
}

TEST(Creators, WithMissingDependencesAreFound)
{
    struct repetition r = repeat(swapped, 100, 2, 2);
    EXPECT_FALSE(r.passed);
    EXPECT_NE(std::string(r.fault).find("did not wait for"), std::string::npos) << r.fault;
}

TEST(Patterns, PassOnEveryNumberOfTasksAndThreads)
{
    for (size_t p = 0; patterns[p]; p++)
        for (size_t tasks : {1, 2, 3, 200})
            for (size_t threads : {1, 3}) {
                if (!patterns[p]->create)
                    continue;
                struct repetition r = repeat(*patterns[p], tasks, threads);
                EXPECT_TRUE(r.passed) << patterns[p]->name << " " << tasks << ": " << r.fault;
            }
}
