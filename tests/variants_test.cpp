/* SPDX-License-Identifier: BSD-3-Clause
 * Every variant of every benchmark, over sizes, tile sizes and thread counts: the factors are right,
 * the same as LAPACK's, and bit for bit those of the other variants of the digest group. */
#include <complex>
#define LAPACK_COMPLEX_CPP
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support.h"

static const size_t thread_counts[] = {1, 2, 5};

/* Without tiles there are blocks of fields or slices of rows, one or several, and transforms of prime
 * and other lengths. */
static std::vector<Trial::Shape> untiled_shapes(size_t block)
{
    std::vector<Trial::Shape> all;
    for (size_t n : Sizes{1, 2, 15, 16, 17, 23, 24, 25, 48, 72, 97})
        all.push_back({n, n, block, 5, 1});
    return all;
}

/* Sizes around one tile, a prime, more tiles; tall and wide. */
static std::vector<Trial::Shape> shapes(const Subject &subject)
{
    if (subject.benchmark == &batched_fft)
        return untiled_shapes(3);
    if (subject.benchmark == &cell_tree)
        return untiled_shapes(16);
    std::vector<Trial::Shape> all;
    for (size_t nb : Sizes{16, 24}) {
        const size_t ib = nb == 16 ? 5 : 8;
        for (size_t n : Sizes{1, 2, nb - 1, nb, nb + 1, 97, 3 * nb})
            all.push_back({n, n, nb, ib, 1});
        const std::pair<size_t, size_t> rectangles[] = {
            {1, 40}, {40, 1}, {97, 3 * nb}, {3 * nb, 97}, {3 * nb + 1, nb - 1}, {5, 3 * nb + 2}};
        for (auto [m, n] : rectangles)
            if (allows(subject, m, n))
                all.push_back({m, n, nb, ib, 1});
    }
    /* Tiles taller than wide, up to a whole column; the last one shorter. */
    const Sizes heights = subject.benchmark->tall_tiles ? Sizes{2, 3, 100} : Sizes{};
    for (size_t height : heights) {
        for (size_t n : Sizes{15, 16, 17, 97, 96})
            all.push_back({n, n, 16, 5, 1, height});
        const std::pair<size_t, size_t> rectangles[] = {{97, 40}, {40, 97}, {64, 17}, {17, 64}};
        for (auto [m, n] : rectangles)
            if (allows(subject, m, n))
                all.push_back({m, n, 16, 5, 1, height});
    }
    /* Panels wide and tall enough to be factored by several tasks. */
    all.push_back({300, 300, 72, 8, 1});
    if (allows(subject, 601, 80))
        all.push_back({601, 80, 80, 8, 1});
    return all;
}

static std::string describe_shape(const Trial::Shape &s)
{
    return describe({{"m", s.m},
                     {"n", s.n},
                     {"mb", s.height * s.nb},
                     {"nb", s.nb},
                     {"ib", s.ib},
                     {"threads", s.threads}});
}

class Variants : public testing::TestWithParam<Subject> {};
INSTANTIATE_TEST_SUITE_P(All, Variants, testing::ValuesIn(subjects()), subject_name);

class Factorizations : public testing::TestWithParam<Subject> {};
INSTANTIATE_TEST_SUITE_P(All, Factorizations, testing::ValuesIn(subjects(factorizations())),
                         subject_name);

/* On two threads: on other numbers of threads, the digests below are the same. */
TEST_P(Variants, PassTheFullCheck)
{
    for (Trial::Shape shape : shapes(GetParam())) {
        shape.threads = 2;
        SCOPED_TRACE(describe_shape(shape));
        Trial trial(GetParam(), shape);
        outcome full = trial.once(42, CHECK_FULL);
        EXPECT_EQ(full.failure, 0);
        EXPECT_TRUE(full.passed);
        EXPECT_GE(full.verification.count, 1U);
        if (GetParam().benchmark->multiply) {
            EXPECT_EQ(full.verification.count, GetParam().benchmark->round_trip ? 2U : 1U);
        }
        EXPECT_TRUE(trial.verify(CHECK_FAST).passed);
    }
}

TEST_P(Variants, CountTheSameKernelsWithAnyNumberOfThreads)
{
    std::vector<uint64_t> counts;
    for (size_t threads : thread_counts)
        counts.push_back(Trial(GetParam(), {97, 97, 16, 5, threads}).once(1).tasks);
    EXPECT_GT(counts[0], 7U);
    EXPECT_EQ(counts, std::vector<uint64_t>(counts.size(), counts[0]));
}

/* ---- when the last task is created ---- */

static void note_time(void *last, struct call, const struct access *, size_t)
{
    *static_cast<int64_t *>(last) = now_ns(CLOCK_MONOTONIC);
}

/* On one thread libgomp runs these few tasks only when the creating thread waits for them. */
TEST_P(Variants, TellWhenTheyHaveCreatedTheirTasksNotWhenTheseHaveRun)
{
    if (std::string(runtime_identify().name) != "libgomp")
        GTEST_SKIP() << "may run a task as soon as it is created";
    if (GetParam().variant->sequential || GetParam().variant->own_team)
        GTEST_SKIP() << "creates no tasks";
    Trial trial(GetParam(), {40, 40, 16, 5, 1});
    int64_t last = 0;
    const observer observer = {note_time, &last};
    trial.problem()->execution->observer = &observer;
    const outcome found = trial.once();
    trial.problem()->execution->observer = nullptr;
    EXPECT_LT(found.region.start_ns, found.region.submitted_ns);
    EXPECT_LT(found.region.submitted_ns, last);
}

TEST_P(Variants, WorkOnATileLargerThanTheMatrix)
{
    for (size_t n : Sizes{1, 5, 40}) {
        SCOPED_TRACE(describe({{"n", n}}));
        EXPECT_TRUE(Trial(GetParam(), {n, n, 1000, 1000, 2}).once(3, CHECK_FULL).passed);
    }
}

TEST_P(Variants, WorkOnTilesOfOneElement)
{
    EXPECT_TRUE(Trial(GetParam(), {9, 9, 1, 1, 2}).once(3, CHECK_FULL).passed);
}

/* ---- the same numbers as LAPACK ---- */

static int extent(size_t value)
{
    return static_cast<int>(value);
}

static void expect_lapack_pivots(Trial &trial, Matrix A)
{
    std::vector<int> pivots(std::min(A.rows, A.cols));
    LAPACKE_dgetrf(LAPACK_COL_MAJOR, extent(A.rows), extent(A.cols), A.a.data(), extent(A.rows),
                   pivots.data());
    EXPECT_EQ(trial.lu_pivots(), pivots);
    expect_close(trial.factors(), A, 1e-9);
}

static void expect_lapack_triangle(const Trial &trial, Matrix A)
{
    LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', extent(A.rows), A.a.data(), extent(A.rows));
    expect_close(part_of(trial.factors(), Part::lower), part_of(A, Part::lower));
}

/* R's rows have the sign that makes its diagonal positive. */
static Matrix positive_R(const Matrix &factors)
{
    Matrix R = part_of(factors, Part::upper, std::min(factors.rows, factors.cols), factors.cols);
    for (size_t i = 0; i < R.rows; i++) {
        const double sign = R(i, i) < 0.0 ? -1.0 : 1.0;
        for (size_t j = i; j < R.cols; j++)
            R(i, j) *= sign;
    }
    return R;
}

static void expect_lapack_R(const Trial &trial, Matrix A)
{
    std::vector<double> tau(std::min(A.rows, A.cols));
    LAPACKE_dgeqrf(LAPACK_COL_MAJOR, extent(A.rows), extent(A.cols), A.a.data(), extent(A.rows),
                   tau.data());
    expect_close(positive_R(trial.factors()), positive_R(A), 1e-10);
}

TEST_P(Factorizations, MatchLapack)
{
    const Subject &subject = GetParam();
    for (Trial::Shape shape : shapes(subject)) {
        shape.threads = 2;
        SCOPED_TRACE(describe_shape(shape));
        Trial trial(subject, shape);
        ASSERT_EQ(trial.once(7).failure, 0);
        Matrix A = input_matrix(subject.variant->input, shape.m, shape.n, 7);
        if (subject.pivots())
            expect_lapack_pivots(trial, A);
        else if (subject.benchmark == &cholesky)
            expect_lapack_triangle(trial, A);
        else if (subject.benchmark == &qr)
            expect_lapack_R(trial, A);
    }
}

TEST(LuNopiv, ReproducesADominantMatrixWithoutExchanges)
{
    for (const Subject &subject : subjects()) {
        if (subject.variant->input != INPUT_DOMINANT)
            continue;
        Trial trial(subject, {97, 53, 16, 0, 2});
        trial.once(7);
        for (size_t i = 0; i < 53; i++)
            EXPECT_EQ(trial.lu_pivots()[i], extent(i) + 1);
        expect_close(part_of(trial.factors(), Part::unit_lower) *
                         part_of(trial.factors(), Part::upper, 53, 53),
                     input_matrix(INPUT_DOMINANT, 97, 53, 7));
    }
}

/* ---- digests ---- */

TEST_P(Variants, GiveTheSameDigestOnEveryRunAndNumberOfThreads)
{
    for (Trial::Shape shape : shapes(GetParam())) {
        SCOPED_TRACE(describe_shape(shape));
        Trial first(GetParam(), shape);
        const uint64_t expected = first.once(11).digest;
        if (GetParam().benchmark->multiply || shape.n > 1) { /* a sweep of one point forgets it */
            EXPECT_NE(first.once(12).digest, expected);
        }
        EXPECT_EQ(first.once(11).digest, expected) << "after another input";
        for (size_t threads : {2, 5}) {
            shape.threads = threads;
            Trial trial(GetParam(), shape);
            for (int repetition = 0; repetition < 2; repetition++)
                EXPECT_EQ(trial.once(11).digest, expected) << threads << " threads";
        }
    }
}

TEST(DigestGroups, HoldVariantsWithTheSameFactorsBitForBit)
{
    for (size_t nb : Sizes{16, 24}) {
        std::map<std::string, std::map<uint64_t, std::string>> groups;
        for (const Subject &subject : subjects())
            for (size_t threads : thread_counts)
                groups[subject.variant->digest_group]
                      [Trial(subject, {97, 97, nb, 8, threads}).once(13).digest] +=
                    subject.name() + " ";
        EXPECT_GE(groups.size(), 6U);
        for (const auto &[name, digests] : groups)
            for (const auto &[digest, members] : digests)
                EXPECT_EQ(digests.size(), 1U)
                    << name << " " << std::hex << digest << " " << members;
    }
}

/* ---- break-downs ---- */

/* A run on a matrix of its own instead of a random one. */
static int64_t failure_on(const Subject &subject, Matrix A, size_t nb, size_t threads)
{
    dense_matrix file = {A.rows, A.cols, A.a.data()};
    configuration c = {};
    c.benchmark = subject.benchmark;
    c.variant = subject.variant;
    c.m = A.rows;
    c.n = A.cols;
    c.mb = c.nb = nb;
    c.ib = subject.benchmark->inner_block ? 8 : 0;
    c.threads = threads;
    c.file = &file;
    problem *p = run_create(&c);
    outcome result = run_once(&c, p, 0, CHECK_FULL, nullptr, nullptr);
    EXPECT_EQ(result.passed, result.failure == 0);
    run_destroy(&c, p);
    return result.failure;
}

static Matrix spoiled(const Subject &subject, size_t n, size_t column, double value)
{
    const bool spd = subject.benchmark->symmetric;
    Matrix A = input_matrix(spd ? INPUT_SPD : INPUT_DOMINANT, n, n, 17);
    A(column, column) = value;
    return A;
}

TEST_P(Factorizations, ReportTheColumnOfANaN)
{
    for (size_t nb : Sizes{16, 72})
        for (size_t column : Sizes{0, 15, 16, 40, 96}) {
            Matrix A = spoiled(GetParam(), 97, column, std::nan(""));
            for (size_t threads : thread_counts)
                EXPECT_EQ(failure_on(GetParam(), A, nb, threads), column + 1)
                    << describe({{"nb", nb}, {"threads", threads}});
        }
}

/* Of several columns that fail, the first is reported, on any number of threads. */
TEST_P(Factorizations, ReportTheFirstOfSeveralBadColumns)
{
    for (size_t threads : thread_counts) {
        Matrix A = spoiled(GetParam(), 97, 33, std::nan(""));
        A(36, 36) = A(60, 60) = A(96, 96) = std::nan("");
        EXPECT_EQ(failure_on(GetParam(), A, 16, threads), 34) << describe({{"threads", threads}});
    }
}

static Matrix singular(const Subject &subject, size_t n, size_t column)
{
    Matrix A = spoiled(subject, n, column, 0.0);
    for (size_t i = 0; i < n; i++)
        A(i, column) = A(column, i) = 0.0;
    return A;
}

TEST_P(Factorizations, ReportTheColumnOfAZeroPivot)
{
    for (size_t nb : Sizes{16, 72})
        for (size_t column : Sizes{0, 15, 16, 40, 96}) {
            /* QR goes on: R is then singular. */
            const size_t expected = GetParam().benchmark == &qr ? 0 : column + 1;
            EXPECT_EQ(failure_on(GetParam(), singular(GetParam(), 97, column), nb, 2), expected)
                << describe({{"nb", nb}});
        }
}

TEST_P(Variants, FactorAgainAfterABreakDown)
{
    Trial trial(GetParam(), {40, 40, 16, 5, 2});
    const uint64_t expected = trial.once(1).digest;
    execution_fail(trial.problem()->execution, 5);
    EXPECT_EQ(trial.once(1).digest, expected);
}
