/* SPDX-License-Identifier: BSD-3-Clause
 * What tasks share: failures, workspaces, counts, and the observer. */
#include <set>

#include "tests/support.h"

static const kernel GEMM = kernel_named("gemm");

TEST(Execution, KeepsTheSmallestColumnOfAnyOrder)
{
    Execution x = make_execution(4);
    EXPECT_FALSE(execution_failed(x.get()));
    for (size_t column : Sizes{9, 5, 7, 5, 100})
        execution_fail(x.get(), column);
    EXPECT_TRUE(execution_failed(x.get()));
    EXPECT_EQ(failure_of(x.get()), 5);
}

TEST(Execution, KeepsTheSmallestColumnOfSeveralThreads)
{
    for (int repetition = 0; repetition < 50; repetition++) {
        Execution x = make_execution(4);
        execution *shared = x.get();
#pragma omp parallel for num_threads(4) schedule(static, 1)
        for (size_t column = 1000; column >= 17; column--)
            execution_fail(shared, column);
        EXPECT_EQ(failure_of(x.get()), 17);
    }
}

TEST(Execution, KeepsTheFewestThreadsOfEachLevelUntilItIsReset)
{
    Execution x = make_execution(3);
    const auto note = [](void *argument, size_t thread) {
        if (thread == 0)
            execution_note_inner_team(static_cast<execution *>(argument));
    };
    EXPECT_EQ(execution_inner_team(x.get()), 0U);
    for (auto [threads, fewest] : {std::pair<size_t, size_t>{3, 3}, {2, 2}, {3, 2}}) {
        ASSERT_EQ(team_each(threads, note, x.get()), threads);
        EXPECT_EQ(execution_inner_team(x.get()), fewest);
    }
    EXPECT_EQ(execution_outer_team(x.get()), 0U);
    execution_note_outer_team(x.get());
    EXPECT_EQ(execution_outer_team(x.get()), 1U);
    execution_reset(x.get());
    execution_note_outer_threads(x.get(), 7);
    EXPECT_EQ(execution_outer_team(x.get()), 7U);
    execution_reset(x.get());
    EXPECT_EQ(execution_inner_team(x.get()) + execution_outer_team(x.get()), 0U);
}

TEST(Execution, GivesEveryThreadAlignedMemoryOfItsOwn)
{
    constexpr size_t doubles = 33;
    Execution x = make_execution(5, doubles);
    const auto use = [](void *argument, size_t) {
        auto *shared = static_cast<execution *>(argument);
        worker *own = execution_worker(shared);
        for (size_t i = 0; i < doubles; i++)
            own->workspace[i] = static_cast<double>(own - shared->workers);
        execution_begin(shared, {&GEMM, 0, {}}, nullptr);
    };
    EXPECT_EQ(team_each(5, use, x.get()), 5U);
    std::set<double *> workspaces;
    for (size_t t = 0; t < 5; t++) {
        workspaces.insert(x->workers[t].workspace);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(&x->workers[t]) % 64, 0U);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(x->workers[t].workspace) % 64, 0U);
        for (size_t i = 0; i < doubles; i++)
            EXPECT_EQ(x->workers[t].workspace[i], static_cast<double>(t));
    }
    EXPECT_EQ(workspaces.size(), 5U);
    EXPECT_EQ(execution_kernel_count(x.get()), 5U);
}

TEST(Execution, CountsKernelsAlsoAfterAFailureUntilReset)
{
    Execution x = make_execution();
    EXPECT_TRUE(execution_begin(x.get(), {&GEMM, 0, {}}, nullptr));
    execution_fail(x.get(), 3);
    EXPECT_FALSE(execution_begin(x.get(), {&GEMM, 0, {}}, nullptr));
    EXPECT_EQ(execution_kernel_count(x.get()), 2U);
    execution_reset(x.get());
    EXPECT_EQ(execution_kernel_count(x.get()), 0U);
    EXPECT_EQ(failure_of(x.get()), 0);
    EXPECT_TRUE(execution_begin(x.get(), {&GEMM, 0, {}}, nullptr));
}

TEST(Execution, KnowsWhetherAKernelComputes)
{
    Execution x = make_execution();
    EXPECT_TRUE(execution_begin(x.get(), {&GEMM, 0, {}}, nullptr));
    EXPECT_EQ(x->workers[0].computing, 1U);
    execution_leave(x.get());
    EXPECT_EQ(x->workers[0].computing, 0U);
    execution_fail(x.get(), 1);
    EXPECT_FALSE(execution_begin(x.get(), {&GEMM, 0, {}}, nullptr));
    EXPECT_EQ(x->workers[0].computing, 0U);
}

TEST(Attendant, IsCalledAtTheEndOfEachKernelThatComputes)
{
    size_t calls = 0;
    const attendant counter = {[](void *context) { ++*static_cast<size_t *>(context); }, &calls};
    Execution x = make_execution();
    GuardedTile A(identity(4));
    x->attendant = &counter;
    for (size_t kernels = 1; kernels <= 3; kernels++) {
        kernel_potrf(x.get(), 2, 0, A.tile());
        EXPECT_EQ(calls, kernels);
    }
    execution_fail(x.get(), 1);
    kernel_potrf(x.get(), 2, 0, A.tile());
    EXPECT_EQ(calls, 3U);
    x->attendant = nullptr;
    execution_leave(x.get());
    EXPECT_EQ(calls, 3U);
}

static void note_call(void *context, struct call call, const struct access *accesses, size_t count)
{
    std::string text = std::string(call.kernel->name) + " " + std::to_string(call.step);
    for (size_t i = 0; i < count; i++)
        text += accesses[i].mode == ACCESS_WRITE ? " w" : " r";
    static_cast<std::vector<std::string> *>(context)->push_back(text);
}

TEST(Observer, SeesEveryKernelAndItsTiles)
{
    std::vector<std::string> calls;
    const observer watcher = {note_call, &calls};
    Execution x = make_execution();
    x->observer = &watcher;
    GuardedTile A(identity(4)), B(identity(4)), C(identity(4));
    kernel_potrf(x.get(), 2, 0, A.tile());
    kernel_trsm_right_lower(x.get(), 3, A.tile(), B.tile());
    kernel_gemm(x.get(), 4, TRANSPOSE, A.tile(), B.tile(), C.tile());
    TileMatrix tiles = to_tiles(identity(12), 4);
    std::vector<int> pivots(12);
    std::vector<double> scratch(kernel_getrf_panel_doubles(tiles.get()));
    kernel_getrf(x.get(), 1, tiles.get(), pivots.data(), scratch.data());
    kernel_laswp(x.get(), 1, tiles.get(), 2, pivots.data());
    EXPECT_EQ(calls, (std::vector<std::string>{"potrf 2 w", "trsm 3 r w", "gemm 4 r r w",
                                               "getrf 1 w w w", "laswp 1 r w w"}));
}
