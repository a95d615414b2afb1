// SPDX-License-Identifier: BSD-3-Clause
// The counts that kernels state for their calls: operations as counted by plain loops, sums over a factorization,
// and the tables of the benchmarks' descriptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/support.h"

extern "C" {
#include "lu/panel_pieces.h"
}

namespace {

using Calls = std::vector<call>;

void keep(void *context, struct call made, const struct access *, size_t)
{
    static_cast<Calls *>(context)->push_back(made);
}

// The kernel calls of one factorization.
Calls calls_of(const Subject &subject, Trial::Shape shape)
{
    Calls calls;
    const observer observer = {keep, &calls};
    Trial trial(subject, shape);
    trial.problem()->execution->observer = &observer;
    trial.once(7);
    trial.problem()->execution->observer = nullptr;
    return calls;
}

int64_t flops_of(const kernel &kernel, call_sizes sizes)
{
    return work_of_call(&kernel, sizes).flops;
}

/* ---- the operations of plain elimination, counted one by one ---- */

int64_t cholesky_with_rows_below(uint32_t m, uint32_t n)
{
    int64_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        count++; // the square root
        for (uint32_t i = k + 1; i < m; i++)
            count++; // divisions
        for (uint32_t j = k + 1; j < n; j++)
            for (uint32_t i = j; i < m; i++)
                count += 2;
    }
    return count;
}

int64_t elimination(uint32_t m, uint32_t n)
{
    int64_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        count++; // the pivot's reciprocal
        for (uint32_t i = k + 1; i < m; i++)
            count += 1 + 2 * static_cast<int64_t>(n - k - 1);
    }
    return count;
}

int64_t forward_substitution(uint32_t m, uint32_t n, uint32_t k)
{
    int64_t count = 0;
    for (uint32_t step = 0; step < k; step++)
        for (uint32_t i = step + 1; i < m; i++)
            count += 2 * static_cast<int64_t>(n);
    return count;
}

int64_t solve_from_the_right(uint32_t m, uint32_t n)
{
    int64_t count = 0;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < m; i++)
            count += 1 + 2 * static_cast<int64_t>(j);
    return count;
}

int64_t trapezoid_update(uint32_t m, uint32_t n, uint32_t k)
{
    int64_t count = 0;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = j; i < m; i++)
            count += 2 * static_cast<int64_t>(k);
    return count;
}

const uint32_t sizes[] = {1, 2, 3, 8, 17, 40};

TEST(KernelCounts, OfProductsAndSolvesAreThoseOfPlainLoops)
{
    for (uint32_t m : sizes)
        for (uint32_t n : sizes)
            for (uint32_t k : sizes) {
                SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"k", k}}));
                EXPECT_EQ(flops_of(about_gemm, {m, n, k, 0}), 2 * int64_t{m} * n * k);
                EXPECT_EQ(flops_of(about_gemm_fill, {m, n, k, 0}), 2 * int64_t{m} * n * k);
                EXPECT_EQ(flops_of(about_panel_gemm, {m, n, k, 0}), 2 * int64_t{m} * n * k);
                EXPECT_EQ(flops_of(about_panel_trsm, {m, n, k, 0}), forward_substitution(k, n, k));
                EXPECT_EQ(flops_of(about_trsm_right_lower, {m, n, n, 0}),
                          solve_from_the_right(m, n));
                EXPECT_EQ(flops_of(about_trsm_right_upper, {m, n, n, 0}),
                          solve_from_the_right(m, n));
                if (k <= m) {
                    EXPECT_EQ(flops_of(about_trsm_left_unit, {m, n, k, 0}),
                              forward_substitution(m, n, k));
                }
                if (n <= m) {
                    EXPECT_EQ(flops_of(about_syrk, {m, n, k, 0}), trapezoid_update(m, n, k));
                }
            }
}

TEST(KernelCounts, OfFactorizationsAreThoseOfPlainLoops)
{
    for (uint32_t m : sizes)
        for (uint32_t n : sizes) {
            SCOPED_TRACE(describe({{"m", m}, {"n", n}}));
            if (n <= m) {
                for (const kernel *lu : {&about_getrf, &about_getrf_nopiv, &about_panel_getrf})
                    EXPECT_EQ(flops_of(*lu, {m, n, n, 0}), elimination(m, n));
                EXPECT_EQ(flops_of(about_potrf, {m, n, n, 0}), cholesky_with_rows_below(m, n));
            }
        }
}

// Applying k reflectors of m rows takes 4 m n k operations, to the order of the inner block's.
TEST(KernelCounts, OfReflectorsHaveTheirLeadingTerms)
{
    for (uint32_t n : {200U, 400U})
        for (uint32_t ib : {8U, 16U}) {
            const double cube = std::pow(n, 3), share = double(ib) / n;
            const auto expect = [&](const kernel &kernel, double leading) {
                const double count = double(flops_of(kernel, {n, n, n, ib})) / cube;
                EXPECT_GE(count, leading) << kernel.name;
                EXPECT_LE(count, leading + 2 * share) << kernel.name;
            };
            expect(about_geqrt, 4.0 / 3);
            expect(about_unmqr, 2);
            expect(about_tsqrt, 2);
            expect(about_tsmqr, 4);
            expect(about_ttqrt, 2.0 / 3);
            expect(about_ttmqr, 2);
        }
}

TEST(KernelCounts, OfKernelsThatMoveDataAreZero)
{
    for (const kernel *mover : {&about_laswp, &about_laswp_from, &about_panel_load,
                                &about_panel_swap, &about_panel_store}) {
        const call_work work = work_of_call(mover, {30, 8, 4, 0});
        EXPECT_EQ(work.flops, 0) << mover->name;
        EXPECT_GE(work.bytes, 2 * 8 * 4 * 8) << mover->name;
    }
}

/* ---- over a factorization ---- */

class Counts : public testing::TestWithParam<Subject> {};

std::vector<Trial::Shape> shapes(const Subject &subject)
{
    std::vector<Trial::Shape> all = {{97, 97, 16, 5, 1}, {40, 40, 72, 8, 1}, {120, 120, 40, 8, 1}};
    if (subject.benchmark->tall_tiles)
        all.push_back({97, 97, 16, 5, 1, 3});
    if (subject.benchmark->rectangular) {
        all.push_back({130, 50, 16, 5, 1});
        all.push_back({48, 130, 16, 5, 1, subject.benchmark->tall_tiles ? 2U : 1U});
    }
    return all;
}

// What the benchmark states.
double operations(const Subject &subject, Trial::Shape shape)
{
    return subject.benchmark->flops ? subject.benchmark->flops(double(shape.m), double(shape.n))
                                    : Trial(subject, shape).once(7).flops;
}

// Exact to the last operation; for reflectors, whose counts include the T factors, only approximately.
// The standard count has one operation for each element to the right of a wide matrix' square, where
// nothing is divided. That of transforms is no whole number: each call's is rounded.
TEST_P(Counts, AddUpToTheCountOfTheFactorization)
{
    const Subject &subject = GetParam();
    if (subject.benchmark == &strassen)
        GTEST_SKIP() << "it states a nominal count";
    for (Trial::Shape shape : shapes(subject)) {
        SCOPED_TRACE(describe({{"m", shape.m}, {"n", shape.n}, {"nb", shape.nb}}));
        double sum = 0.0, rounding = 0.0;
        for (const call &made : calls_of(subject, shape)) {
            sum += double(work_of_call(made.kernel, made.sizes).flops);
            rounding += made.kernel == &about_fft ? 0.5 : 0.0;
        }
        const double whole = operations(subject, shape);
        const size_t right = shape.n - std::min(shape.m, shape.n);
        if (subject.benchmark->round_trip) {
            EXPECT_GE(sum, 0.9 * whole);
        } else {
            EXPECT_NEAR(sum, std::round(whole) - double(shape.m * right), rounding);
        }
    }
}

TEST_P(Counts, ComeWithBytesOfEveryCall)
{
    for (Trial::Shape shape : shapes(GetParam()))
        for (const call &made : calls_of(GetParam(), shape)) {
            const call_work work = work_of_call(made.kernel, made.sizes);
            EXPECT_GT(work.bytes, 0) << made.kernel->name;
            EXPECT_GT(work.block, 0) << made.kernel->name;
            EXPECT_LE(work.rows, int64_t(shape.m)) << made.kernel->name;
            EXPECT_EQ(made.kernel->flops == nullptr, std::string(made.kernel->count) == "0");
        }
}

INSTANTIATE_TEST_SUITE_P(All, Counts, testing::ValuesIn(subjects()), subject_name);

TEST(KernelTables, HoldTheKernelsThatTheVariantsCall)
{
    for (const struct benchmark *benchmark : all_benchmarks()) {
        std::set<const kernel *> called;
        for (const Subject &subject : subjects({benchmark}))
            for (Trial::Shape shape : shapes(subject))
                for (const call &made : calls_of(subject, shape))
                    called.insert(made.kernel);
        const std::set<const kernel *> listed(benchmark->kernels,
                                              benchmark->kernels + benchmark->kernel_count);
        // With one of several words for a parameter, some may not be called.
        EXPECT_TRUE(std::includes(listed.begin(), listed.end(), called.begin(), called.end()))
            << benchmark->name;
        const bool words =
            std::any_of(benchmark->parameters, benchmark->parameters + benchmark->parameter_count,
                        [](const parameter &p) { return p.words != nullptr; });
        if (!words) {
            EXPECT_EQ(called, listed) << benchmark->name;
        }
    }
}

TEST(KernelTables, DistinguishKernelsOfOneName)
{
    for (const struct benchmark *benchmark : all_benchmarks()) {
        std::set<std::string> operations;
        for (size_t i = 0; i < benchmark->kernel_count; i++) {
            const kernel *k = benchmark->kernels[i];
            EXPECT_TRUE(operations.insert(k->operation ? k->operation : k->name).second) << k->name;
        }
    }
}

} // namespace
