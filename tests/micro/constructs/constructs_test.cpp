// SPDX-License-Identifier: BSD-3-Clause
// Constructs pass their checks on every number of threads, and whatever is executed wrongly is found.
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "micro/constructs/measure.h"
}

namespace {
constexpr size_t inner = 20;

result repeat(const construct &subject, size_t threads, size_t executions = inner,
              json_t *figures = nullptr)
{
    const construct_configuration configuration = {&subject, threads, executions, 0.0, 1};
    construct_bench *bench = construct_bench_create(&configuration);
    result r = {};
    r.passed = true;
    r.figures = figures;
    construct_bench_repeat(bench, &r);
    construct_bench_destroy(bench);
    return r;
}

/** The state of a checked pass on one thread, without a runtime's constructs. */
struct Checked {
    tally tallies[1] = {};
    std::vector<size_t> marks = std::vector<size_t>(8, 0);
    construct_run run = {};

    Checked()
    {
        run.threads = 1;
        run.inner = 8;
        run.checked = true;
        run.tallies = tallies;
        run.marks = marks.data();
    }
    Checked(const Checked &) = delete;
    Checked &operator=(const Checked &) = delete;
};
} // namespace

TEST(Constructs, PassOnEveryNumberOfThreads)
{
    for (size_t c = 0; constructs[c]; c++)
        for (size_t threads : {1, 2, 3}) {
            if (!constructs[c]->test)
                continue;
            result r = repeat(*constructs[c], threads);
            EXPECT_TRUE(r.passed) << constructs[c]->name << " on " << threads << ": " << r.fault;
            EXPECT_GT(r.value[CONSTRUCT_TEST], 0.0);
            double threads_at_once = constructs[c]->share == SHARE_TASKS ? double(threads) : 1.0;
            EXPECT_EQ(r.value[CONSTRUCT_OVERHEAD],
                      r.value[CONSTRUCT_TEST] - r.value[CONSTRUCT_REFERENCE] / threads_at_once);
        }
}

TEST(Constructs, ExecuteTheDelayAsOftenAsTheyShareIt)
{
    construct subject = {};
    for (construct_share share : {SHARE_TEAM, SHARE_OWN, SHARE_ALONE}) {
        subject.share = share;
        EXPECT_EQ(construct_executions(&subject, 3, 10), 30u);
    }
    for (construct_share share : {SHARE_SINGLE, SHARE_TASKS}) {
        subject.share = share;
        EXPECT_EQ(construct_executions(&subject, 3, 10), 10u);
    }
    subject.share = SHARE_TEAM; // all threads execute the same number
    EXPECT_EQ(construct_numbers(&subject, 3, 10), 10u);
    subject.share = SHARE_OWN;
    EXPECT_EQ(construct_numbers(&subject, 3, 10), 30u);
}

TEST(Constructs, TakeAtLeastTheFirstNumberOfExecutions)
{
    json_t *figures = json_object();
    repeat(construct_task_single, 1, 0, figures);
    EXPECT_EQ(json_integer_value(json_object_get(figures, "executions")), 16);
    json_decref(figures);
    EXPECT_GE(construct_delay_steps(1e-6), 1u);
}

TEST(Check, FindsExecutionsThatWereNotAwaited)
{
    Checked pass;
    construct_work(&pass.run, 3);
    construct_expect(&pass.run, 3, 1);
    EXPECT_EQ(pass.run.fault, CONSTRUCT_RIGHT);
    construct_expect(&pass.run, 4, 1);
    EXPECT_EQ(pass.run.fault, CONSTRUCT_EARLY);
    EXPECT_EQ(pass.run.faulty, 4u);
}

TEST(Check, FindsATaskThatRanBeforeItsPredecessor)
{
    Checked pass;
    construct_work_after(&pass.run, 0, 0);
    construct_work_after(&pass.run, 1, 0);
    EXPECT_EQ(pass.run.fault, CONSTRUCT_RIGHT);
    construct_work_after(&pass.run, 3, 2);
    EXPECT_EQ(pass.run.fault, CONSTRUCT_EARLY);
    EXPECT_EQ(pass.run.faulty, 3u);
}

TEST(Check, FindsTwoThreadsWhereOnlyOneMayBe)
{
    Checked pass;
    construct_work_alone(&pass.run, 0);
    construct_work_alone(&pass.run, 1);
    EXPECT_EQ(pass.run.fault, CONSTRUCT_RIGHT);
    pass.run.inside = 1; // another one is there
    construct_work_alone(&pass.run, 2);
    EXPECT_EQ(pass.run.fault, CONSTRUCT_TOGETHER);
    EXPECT_EQ(pass.run.faulty, 2u);
}

TEST(Check, KeepsTheFirstFault)
{
    Checked pass;
    construct_expect(&pass.run, 5, 1);
    pass.run.inside = 1;
    construct_work_alone(&pass.run, 2);
    EXPECT_EQ(pass.run.fault, CONSTRUCT_EARLY);
    EXPECT_EQ(pass.run.faulty, 5u);
}

namespace {
void expect_fault(const construct &subject, const char *part)
{
    result r = repeat(subject, 2);
    EXPECT_FALSE(r.passed);
    EXPECT_NE(std::string(r.fault).find(part), std::string::npos) << r.fault;
}

construct planted(construct_share share, bool sums, void (*test)(construct_run *))
{
    return {"planted", "", 0, share, false, sums, false, test};
}
} // namespace

TEST(Planted, ExecutionsThatAreLeftOutAreFound)
{
    expect_fault(planted(SHARE_TASKS, false,
                         [](construct_run *run) {
                             for (size_t i = 1; i < run->inner; i++)
                                 construct_work(run, i);
                         }),
                 "not all ran exactly once");
}

TEST(Planted, ExecutionsThatRunInTheWrongNumberAreFound)
{
    expect_fault(planted(SHARE_TASKS, false,
                         [](construct_run *run) {
                             for (size_t i = 0; i < run->inner; i++)
                                 construct_work(run, i - i % 2);
                         }),
                 "not all ran exactly once");
}

TEST(Planted, AdditionsThatAreLostAreFound)
{
    expect_fault(planted(SHARE_TASKS, true,
                         [](construct_run *run) {
                             for (size_t i = 0; i < run->inner; i++)
                                 construct_work(run, i);
                             run->total = run->inner - 1;
                         }),
                 "not all ran exactly once");
}

TEST(Planted, WaitsThatDoNotWaitAreFound)
{
    expect_fault(planted(SHARE_TASKS, false,
                         [](construct_run *run) {
                             for (size_t i = 0; i < run->inner; i++) {
                                 construct_expect(run, i, 1);
                                 construct_work(run, i);
                             }
                         }),
                 "execution 0 went on before");
}
