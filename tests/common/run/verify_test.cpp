/* SPDX-License-Identifier: BSD-3-Clause
 * The checks find what is wrong: every planted error fails both the fast and the full check. */
#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.h"

/* A subject of every digest group of a benchmark: checks see nothing but the factors, and these are
 * the same in a group. */
static std::vector<Subject> groups(const std::vector<Subject> &all)
{
    std::vector<Subject> firsts;
    std::set<std::pair<const benchmark *, std::string>> known;
    for (const Subject &subject : all)
        if (known.insert({subject.benchmark, subject.variant->digest_group}).second)
            firsts.push_back(subject);
    return firsts;
}

class Checks : public testing::TestWithParam<Subject> {
  protected:
    static constexpr size_t N = 19, NB = 8, IB = 3;

    /* Runs, corrupts the factors by `plant`, and expects both checks to detect it. */
    void expect_caught(Trial &trial, const std::function<void(problem *)> &plant)
    {
        trial.once(5);
        plant(trial.problem());
        EXPECT_FALSE(trial.verify(CHECK_FULL).passed);
        EXPECT_FALSE(trial.verify(CHECK_FAST).passed);
    }
    /* Columns of row i that belong to the factors. */
    size_t columns(size_t i) const
    {
        return GetParam().benchmark->symmetric ? i + 1 : N;
    }
};
INSTANTIATE_TEST_SUITE_P(All, Checks, testing::ValuesIn(groups(subjects(factorizations()))),
                         subject_name);

class LuChecks : public Checks {};
INSTANTIATE_TEST_SUITE_P(All, LuChecks, testing::ValuesIn(groups(subjects({&lu, &lu_cw}))),
                         subject_name);

class QrChecks : public Checks {};
INSTANTIATE_TEST_SUITE_P(All, QrChecks, testing::ValuesIn(groups(subjects({&qr}))), subject_name);

TEST_P(Checks, CatchAnErrorInEveryElementOfTheFactors)
{
    Trial trial(GetParam(), {N, N, NB, IB, 1});
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < columns(i); j++) {
            SCOPED_TRACE(describe({{"i", i}, {"j", j}}));
            expect_caught(trial, [=](problem *p) { *tile_matrix_element(p->A, i, j) *= 1.001; });
        }
}

TEST_P(Checks, CatchValuesThatAreNotFinite)
{
    Trial trial(GetParam(), {N, N, NB, IB, 2});
    for (double value : {std::nan(""), std::numeric_limits<double>::infinity()})
        for (size_t i = 0; i < N; i += 3)
            for (size_t j = 0; j < columns(i); j += 2) {
                SCOPED_TRACE(describe({{"i", i}, {"j", j}}));
                expect_caught(trial, [=](problem *p) { *tile_matrix_element(p->A, i, j) = value; });
            }
}

static void clear(struct tile t)
{
    for (size_t j = 0; j < t.cols; j++)
        std::fill_n(t.a + j * t.ld, t.rows, 0.0);
}

TEST_P(Checks, CatchATileThatWasNotComputed)
{
    Trial trial(GetParam(), {N, N, NB, IB, 2});
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < (GetParam().benchmark->symmetric ? i + 1 : 3); j++) {
            SCOPED_TRACE(describe({{"tile row", i}, {"tile column", j}}));
            expect_caught(trial, [=](problem *p) { clear(tile_at(p->A, i, j)); });
        }
}

TEST_P(LuChecks, CatchAWrongPivot)
{
    Trial trial(GetParam(), {N, N, NB, IB, 1});
    for (size_t i = 0; i < N; i++) {
        SCOPED_TRACE(describe({{"i", i}}));
        expect_caught(trial, [=](problem *p) {
            int &pivot = static_cast<lu_factors *>(p->factors)->pivots[i];
            pivot = pivot % static_cast<int>(N) + 1;
        });
    }
}

TEST_P(QrChecks, CatchAWrongBlockFactor)
{
    Trial trial(GetParam(), {N, N, NB, IB, 1});
    for (size_t k = 0; k < 3; k++)
        for (size_t m = k; m < 3; m++)
            for (size_t j = 0; j < std::min(NB, N - k * NB); j++) {
                SCOPED_TRACE(describe({{"k", k}, {"m", m}, {"j", j}}));
                expect_caught(trial, [=](problem *p) {
                    auto *factors = static_cast<qr_factors *>(p->factors);
                    bool pair = factors->domains > 1 && m > k;
                    tile_at(pair ? factors->S : factors->T, m, k)
                        .a[j * tile_leading_dimension(IB)] += 0.01;
                });
            }
}

/* ---- the threshold, and the kind of error that the fast check never misses ---- */

/* Verifies the factors of one matrix against another that differs only in element (i, j); of a symmetric
 * matrix in (j, i) too, by errors with the same norm together. */
static void expect_verdict(const Subject &subject, Trial &trial, Matrix A, size_t i, size_t j,
                           double error, bool passed)
{
    SCOPED_TRACE(describe({{"i", i}, {"j", j}, {"m", A.rows}, {"n", A.cols}}));
    problem *p = trial.problem();
    const input before = p->input;
    const bool mirrored = subject.benchmark->symmetric && i != j;
    A(i, j) += mirrored ? error / std::sqrt(2.0) : error;
    if (mirrored)
        A(j, i) = A(i, j);
    p->input.kind = INPUT_FILE;
    p->input.elements = A.a.data();
    EXPECT_EQ(trial.verify(CHECK_FULL).passed, passed) << error;
    EXPECT_EQ(trial.verify(CHECK_FAST).passed, passed) << error;
    p->input = before;
}

static double frobenius(const Matrix &A)
{
    double squares = 0.0;
    for (double value : A.a)
        squares += value * value;
    return std::sqrt(squares);
}

TEST_P(Checks, JudgeAnErrorInOneElementByTheThreshold)
{
    for (auto [m, n] : {std::pair<size_t, size_t>{N, N}, {23, 9}, {9, 23}}) {
        if (!allows(GetParam(), m, n))
            continue;
        Trial trial(GetParam(), {m, n, NB, IB, 1});
        trial.once(5);
        Matrix A = input_matrix(GetParam().variant->input, m, n, 5);
        const double unit = static_cast<double>(std::max(m, n)) * DBL_EPSILON * frobenius(A);
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) {
                expect_verdict(GetParam(), trial, A, i, j, 33 * unit, false);
                expect_verdict(GetParam(), trial, A, i, j, 27 * unit, true);
            }
    }
}

TEST_P(Checks, AgreeOnEveryNumberOfThreads)
{
    for (size_t threads : Sizes{1, 2, 3, 5}) {
        SCOPED_TRACE(describe({{"threads", threads}}));
        Trial trial(GetParam(), {N, N, NB, IB, threads});
        trial.once(5);
        EXPECT_TRUE(trial.verify(CHECK_FULL).passed);
        EXPECT_TRUE(trial.verify(CHECK_FAST).passed);
        *tile_matrix_element(trial.problem()->A, N - 1, N - 1) *= 1.001;
        EXPECT_FALSE(trial.verify(CHECK_FULL).passed);
        EXPECT_FALSE(trial.verify(CHECK_FAST).passed);
    }
}

static bool residual_passed(const verification &result, const char *name)
{
    for (size_t i = 0; i < result.count; i++)
        if (std::string(result.residuals[i].name) == name)
            return result.residuals[i].passed;
    ADD_FAILURE() << "no residual " << name;
    return false;
}

/* With R = 0 and A = 0 every Q reproduces A. */
TEST(OrthogonalityCheck, SeesWhatTheProductCannot)
{
    Matrix zero(8, 8);
    Trial trial({&qr, &qr.variants[0]}, {8, 8, 8, 4, 1});
    trial.once(5);
    problem *p = trial.problem();
    for (size_t j = 0; j < 8; j++)
        for (size_t i = 0; i <= j; i++)
            *tile_matrix_element(p->A, i, j) = 0.0;
    p->input.kind = INPUT_FILE;
    p->input.elements = zero.a.data();
    for (check check : {CHECK_FAST, CHECK_FULL})
        EXPECT_TRUE(trial.verify(check).passed) << check_name(check);
    static_cast<qr_factors *>(p->factors)->T->storage[0] += 0.01;
    for (check check : {CHECK_FAST, CHECK_FULL}) {
        verification result = trial.verify(check);
        EXPECT_TRUE(residual_passed(result, "A-QR")) << check_name(check);
        EXPECT_FALSE(residual_passed(result, "I-QTQ")) << check_name(check);
    }
}

/* The linker takes the second of these for the first (tests/CMakeLists.txt). */
extern "C" {
tile_matrix *real_probes_create(size_t rows, size_t cols) __asm__("__real_probes_create");
tile_matrix *own_probes_create(size_t rows, size_t cols) __asm__("__wrap_probes_create");
}

static std::atomic<size_t> created = 0;
static size_t missing = SIZE_MAX;

tile_matrix *own_probes_create(size_t rows, size_t cols)
{
    return created++ == missing ? nullptr : real_probes_create(rows, cols);
}

TEST(Memory, ThatProbesLackIsReported)
{
    Trial trial({&qr, &qr.variants[0]}, {12, 12, 8, 4, 1});
    trial.once(5);
    for (check check : {CHECK_FAST, CHECK_FULL}) {
        bool complete = false;
        for (missing = 0; !complete && missing < 100; missing++) {
            verification result;
            created = 0;
            complete = verify(&qr, trial.problem(), check, &result);
            EXPECT_EQ(complete, missing >= created) << check_name(check) << ' ' << missing;
        }
        EXPECT_TRUE(complete);
        EXPECT_GT(missing, 5U);
    }
    missing = SIZE_MAX;
}

static void do_nothing(problem *)
{
}

TEST(RunOnce, DoesNotPassWhereACheckFails)
{
    variant idle = cholesky.variants[0];
    idle.submit = do_nothing;
    Trial trial({&cholesky, &idle}, {20, 20, 8, 0, 1});
    for (check check : {CHECK_FAST, CHECK_FULL}) {
        outcome result = trial.once(1, check);
        EXPECT_EQ(result.failure, 0);
        EXPECT_FALSE(result.passed) << check_name(check);
    }
}

TEST(CheckNone, JudgesNothing)
{
    for (const Subject &subject : subjects()) {
        Trial trial(subject, {10, 10, 4, 2, 1});
        outcome result = trial.once(1, CHECK_NONE);
        EXPECT_EQ(result.verification.count, 0U) << subject.name();
        EXPECT_TRUE(result.passed) << subject.name();
    }
}

TEST(CheckName, IsTheCommandLinesWord)
{
    EXPECT_STREQ(check_name(CHECK_NONE), "none");
    EXPECT_STREQ(check_name(CHECK_FAST), "fast");
    EXPECT_STREQ(check_name(CHECK_FULL), "full");
}
