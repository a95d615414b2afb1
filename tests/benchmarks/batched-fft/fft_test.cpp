// SPDX-License-Identifier: BSD-3-Clause
// Batched transforms: what a transform is, and what its verification finds.
#include <cmath>
#include <complex>

#include "tests/support.h"

namespace {

using Complex = std::complex<double>;

Trial::Shape batch_of(size_t n, size_t fields, size_t threads = 2)
{
    return {n, n, 2, 0, threads, 1, {fields, 2}};
}

Complex point(const double *field, size_t index)
{
    return {field[2 * index], field[2 * index + 1]};
}

TEST(Transforms, AreTheSumsOfTheirDefinition)
{
    const size_t n = 6;
    Trial trial(subject_named("batched-fft seq"), batch_of(n, 3));
    trial.once(7);
    for (size_t b = 0; b < 3; b++)
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < n; l++) {
                Complex sum = 0;
                for (size_t i = 0; i < n; i++)
                    for (size_t j = 0; j < n; j++)
                        sum += point(fft_field(trial.problem(), b), i * n + j) *
                               std::polar(1.0, -2 * M_PI * static_cast<double>(k * i + l * j) / n);
                EXPECT_NEAR(std::abs(point(fft_transform(trial.problem(), b), k * n + l) - sum), 0,
                            1e-13);
            }
}

TEST(Transforms, CountFiveOperationsForEachPointAndHalving)
{
    problem p = {};
    p.n = 64;
    p.parameters[FFT_BATCH] = 3;
    EXPECT_EQ(fft_operations(&p), 3 * 5.0 * 64 * 64 * 12);
}

class WrongTransforms : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Orders, WrongTransforms, testing::Values(1, 2, 24, 45));

/* Of fields that `fast` transforms back, and of the last one, which it does not. */
TEST_P(WrongTransforms, FailBothChecks)
{
    const size_t n = GetParam();
    Trial trial(subject_named("batched-fft flat"), batch_of(n, 20));
    trial.once(7);
    ASSERT_TRUE(trial.verify(CHECK_FULL).passed);
    for (size_t b : Sizes{0, 19})
        for (check mode : {CHECK_FAST, CHECK_FULL}) {
            double &element = fft_transform(trial.problem(), b)[2 * n * n - 1];
            const double right = element;
            element += 1e-9;
            EXPECT_FALSE(trial.verify(mode).passed) << b;
            element = NAN;
            EXPECT_FALSE(trial.verify(mode).passed) << b;
            element = right;
        }
}

TEST(WrongTransforms, InTheOtherDirectionFailBothChecks)
{
    Trial trial(subject_named("batched-fft seq"), batch_of(12, 1));
    trial.once(7);
    problem *p = trial.problem();
    plans_execute(fields_of(p)->plans, PLAN_BACK, fft_field(p, 0), fft_transform(p, 0));
    EXPECT_FALSE(trial.verify(CHECK_FAST).residuals[0].passed);
    EXPECT_FALSE(trial.verify(CHECK_FULL).residuals[0].passed);
}

} // namespace
