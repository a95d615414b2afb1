/* SPDX-License-Identifier: BSD-3-Clause
 * The small parts: what tasks share, statistics, number lists, the choice of BLAS kernels, and
 * operation counts. */
#include <cmath>
#include <cstdio>
#include <set>

#include "tests/support.h"

/* ---- execution ---- */

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

TEST(Execution, GivesEveryThreadAlignedMemoryOfItsOwn)
{
    constexpr size_t doubles = 33;
    Execution x = make_execution(5, doubles);
    const auto use = [](void *argument, size_t) {
        auto *shared = static_cast<execution *>(argument);
        worker *own = execution_worker(shared);
        for (size_t i = 0; i < doubles; i++)
            own->workspace[i] = static_cast<double>(own - shared->workers);
        execution_begin(shared, "gemm", 0, nullptr);
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
    EXPECT_TRUE(execution_begin(x.get(), "gemm", 0, nullptr));
    execution_fail(x.get(), 3);
    EXPECT_FALSE(execution_begin(x.get(), "gemm", 0, nullptr));
    EXPECT_EQ(execution_kernel_count(x.get()), 2U);
    execution_reset(x.get());
    EXPECT_EQ(execution_kernel_count(x.get()), 0U);
    EXPECT_EQ(failure_of(x.get()), 0);
    EXPECT_TRUE(execution_begin(x.get(), "gemm", 0, nullptr));
}

static void note_call(void *context, const char *name, size_t step, const struct access *accesses,
                      size_t count)
{
    std::string text = std::string(name) + " " + std::to_string(step);
    for (size_t i = 0; i < count; i++)
        text += accesses[i].mode == ACCESS_WRITE ? " w" : " r";
    static_cast<std::vector<std::string> *>(context)->push_back(text);
}

TEST(Observer, IsToldOfEveryKernelAndItsTiles)
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

/* ---- statistics ---- */

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle)
{
    const double values[] = {1.0, 2.0, 4.0, 8.0, 100.0};
    EXPECT_EQ(median_of_sorted(values, 1), 1.0);
    EXPECT_EQ(median_of_sorted(values, 2), 1.5);
    EXPECT_EQ(median_of_sorted(values, 3), 2.0);
    EXPECT_EQ(median_of_sorted(values, 4), 3.0);
    EXPECT_EQ(median_of_sorted(values, 5), 4.0);
}

/* ---- number lists ---- */

static std::vector<size_t> parsed(const char *text)
{
    const number_list list = number_list_parse(text, "--size");
    return {list.value, list.value + list.count};
}

TEST(NumberList, HoldsListsAndRangesInTheOrderGiven)
{
    using Numbers = std::vector<size_t>;
    EXPECT_EQ(parsed("7"), (Numbers{7}));
    EXPECT_EQ(parsed("3,1,3"), (Numbers{3, 1, 3}));
    EXPECT_EQ(parsed("1:10:3"), (Numbers{1, 4, 7, 10}));
    EXPECT_EQ(parsed("1:9:3"), (Numbers{1, 4, 7}));
    EXPECT_EQ(parsed("5:5:1"), (Numbers{5}));
    EXPECT_EQ(parsed("2,4:8:2,1"), (Numbers{2, 4, 6, 8, 1}));
    EXPECT_EQ(parsed("2147483647"), (Numbers{INT_MAX}));
    EXPECT_EQ(parsed("1:256:1").size(), static_cast<size_t>(LIST_MAX));
}

TEST(NumberListDeathTest, RefusesWhatIsNotAListInOneLine)
{
    for (const char *text :
         {"",       "0",     "-1",    "+1",      " 1",     "1.5",        "1e3",
          "abc",    "1,",    ",1",    "1,,2",    "1:2",    "1:2:",       ":2:1",
          "3:1:1",  "1:5:0", "0:5:1", "1:2:3:4", "1:-2:1", "2147483648", "99999999999999999999",
          "1:257:1"}) {
        SCOPED_TRACE(text);
        EXPECT_EXIT(number_list_parse(text, "--size"), testing::ExitedWithCode(POLLUX_USAGE),
                    "^[^\n]*--size[^\n]*\n$");
    }
}

/* ---- BLAS kernels ---- */

TEST(BlasCore, IsRaisedOnlyWhereItIsFarBelowTheCpu)
{
    for (const char *old :
         {"Prescott", "prescott", "Nehalem", "Core2", "Sandybridge", "Bulldozer"}) {
        EXPECT_STREQ(blas_core_for(old, 3), "SkylakeX") << old;
        EXPECT_STREQ(blas_core_for(old, 2), "Haswell") << old;
        EXPECT_EQ(blas_core_for(old, 1), nullptr) << old;
        EXPECT_EQ(blas_core_for(old, 0), nullptr) << old;
        EXPECT_EQ(blas_core_for(old, -1), nullptr) << old;
    }
    for (const char *fit :
         {"Haswell", "Zen", "SkylakeX", "Cooperlake", "NEOVERSEN1", "unknown", ""})
        for (int level = -1; level <= 3; level++)
            EXPECT_EQ(blas_core_for(fit, level), nullptr) << fit << " " << level;
}

/* ---- operation counts ---- */

/* Multiplications, additions, divisions and roots of the textbook's loops. */
static double count_cholesky(size_t n)
{
    double count = 0.0;
    for (size_t k = 0; k < n; k++) {
        count += 1.0 + static_cast<double>(n - k - 1);
        for (size_t j = k + 1; j < n; j++)
            count += 2.0 * static_cast<double>(n - j);
    }
    return count;
}

/* The reciprocal of each pivot counts as one. */
static double count_lu(size_t m, size_t n)
{
    double count = 0.0;
    for (size_t k = 0; k < n; k++) {
        const double below = static_cast<double>(m - k - 1), right = static_cast<double>(n - k - 1);
        count += 1.0 + below + 2.0 * below * right;
    }
    return count;
}

TEST(Flops, AreThoseOfTheLoops)
{
    for (size_t n = 1; n <= 20; n++) {
        const double order = static_cast<double>(n);
        EXPECT_NEAR(flops_potrf(order, order), count_cholesky(n), 1e-9) << n;
        for (size_t m = n; m <= 25; m++)
            EXPECT_NEAR(flops_getrf(static_cast<double>(m), order), count_lu(m, n), 1e-9)
                << m << " " << n;
    }
}

/* The polynomials of LAPACK Working Note 41, appendix C, by hand. */
TEST(Flops, AreTheWorkingNotesForSmallMatrices)
{
    EXPECT_NEAR(flops_potrf(2, 2), 5, 1e-12);
    EXPECT_NEAR(flops_getrf(2, 2), 5, 1e-12);
    EXPECT_NEAR(flops_geqrf(1, 1), 8, 1e-12);
    EXPECT_NEAR(flops_geqrf(2, 2), 28, 1e-12);
    EXPECT_NEAR(flops_geqrf(2, 1), 11, 1e-12);
    EXPECT_NEAR(flops_geqrf(1, 2), 13, 1e-12);
}

TEST(Flops, GrowWithTheKnownLeadingTerms)
{
    const double n = 1e6, cube = n * n * n;
    EXPECT_NEAR(flops_potrf(n, n) / cube, 1.0 / 3, 1e-5);
    EXPECT_NEAR(flops_getrf(n, n) / cube, 2.0 / 3, 1e-5);
    EXPECT_NEAR(flops_geqrf(n, n) / cube, 4.0 / 3, 1e-5);
    /* 3n × n: m n² - n³/3, and twice as much for QR. */
    EXPECT_NEAR(flops_getrf(3 * n, n) / cube, 3 - 1.0 / 3, 1e-5);
    EXPECT_NEAR(flops_getrf(n, 3 * n) / cube, 3 - 1.0 / 3, 1e-5);
    EXPECT_NEAR(flops_geqrf(3 * n, n) / cube, 6 - 2.0 / 3, 1e-5);
    EXPECT_NEAR(flops_geqrf(n, 3 * n) / cube, 6 - 2.0 / 3, 1e-5);
}

TEST(RuntimeIdentity, LeavesPrioritiesOffWhereLibompMayStopForGood)
{
    auto is_safe = [](const char *name, const char *version) {
        runtime_identity identity = {};
        std::snprintf(identity.name, sizeof identity.name, "%s", name);
        std::snprintf(identity.version, sizeof identity.version, "%s", version);
        return runtime_priorities_are_safe(&identity);
    };
    for (const char *version : {"15", "16", ">=14", ">=16"})
        EXPECT_FALSE(is_safe("libomp", version)) << version;
    for (const char *version : {"14", "17", "19", ">=19"})
        EXPECT_TRUE(is_safe("libomp", version)) << version;
    EXPECT_TRUE(is_safe("libgomp", "16")) << "only libomp has the fault";
}
