/* SPDX-License-Identifier: BSD-3-Clause
 * The factors that geqrt and tsqrt give: LAPACK's, at every scale of the columns. */
#include <complex>
#define LAPACK_COMPLEX_CPP
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "tests/support.h"

/* The contents of T before it is written. */
static Matrix unset(size_t m, size_t n)
{
    Matrix T(m, n);
    std::fill(T.a.begin(), T.a.end(), 7.0);
    return T;
}

/* A tile, or a triangle on top of it, with its factors. */
struct Factors {
    Matrix R, A, T;
};

static Factors lapack_geqrt(Matrix A, size_t ib)
{
    const int m = static_cast<int>(A.rows), n = static_cast<int>(A.cols), b = static_cast<int>(ib);
    Matrix T(ib, A.cols);
    LAPACKE_dgeqrt(LAPACK_COL_MAJOR, m, n, b, A.a.data(), m, T.a.data(), b);
    return {Matrix(0, 0), A, T};
}

static Factors lapack_tsqrt(Matrix R, Matrix A, size_t ib)
{
    const int m = static_cast<int>(A.rows), n = static_cast<int>(A.cols), b = static_cast<int>(ib);
    Matrix T(ib, A.cols);
    LAPACKE_dtpqrt(LAPACK_COL_MAJOR, m, n, 0, b, R.a.data(), n, A.a.data(), m, T.a.data(), b);
    return {R, A, T};
}

/* T, with zeros where the last block, of fewer columns, left it unset. */
static Matrix triangles(const GuardedTile &tile)
{
    Matrix T = tile.values();
    const size_t first = (T.cols - 1) / T.rows * T.rows;
    for (size_t j = first; j < T.cols; j++)
        for (size_t i = T.cols - first; i < T.rows; i++) {
            EXPECT_EQ(T(i, j), 7.0);
            T(i, j) = 0;
        }
    return T;
}

static Factors geqrt(const Matrix &A, size_t ib, size_t padding = 3)
{
    Execution x = make_execution(1, kernel_qr_workspace_doubles(A.cols, ib));
    GuardedTile tile(A, Part::all, padding), T(unset(ib, A.cols), Part::all, padding);
    kernel_geqrt(x.get(), 0, 0, tile.tile(), T.tile());
    EXPECT_EQ(failure_of(x.get()), 0);
    return {Matrix(0, 0), tile.values(), triangles(T)};
}

static Factors tsqrt(const Matrix &R, const Matrix &A, size_t ib, size_t padding = 3)
{
    Execution x = make_execution(1, kernel_qr_workspace_doubles(A.cols, ib));
    GuardedTile top(R, Part::upper, padding), tile(A, Part::all, padding);
    GuardedTile T(unset(ib, A.cols), Part::all, padding);
    kernel_tsqrt(x.get(), 0, 0, top.tile(), tile.tile(), T.tile());
    EXPECT_EQ(failure_of(x.get()), 0);
    return {part_of(top.values(), Part::upper), tile.values(), triangles(T)};
}

/* Column j times 10 to the power given by its place in the list. */
static Matrix scaled(Matrix A, const std::vector<int> &exponents, int sign = 1)
{
    for (size_t j = 0; j < A.cols; j++)
        for (size_t i = 0; i < A.rows; i++)
            A(i, j) *= std::pow(10.0, sign * exponents[j % exponents.size()]);
    return A;
}

static Matrix without_columns(Matrix A, const Sizes &columns)
{
    for (size_t j : columns)
        for (size_t i = 0; i < A.rows; i++)
            A(i, j) = 0;
    return A;
}

/* LAPACK leaves the elements of T below the triangles as they were: zeros, as ours are. */
static void expect_same_factors(const Factors &ours, const Factors &lapack)
{
    expect_close(ours.R, part_of(lapack.R, Part::upper));
    expect_close(ours.A, lapack.A);
    expect_close(ours.T, lapack.T);
}

TEST(Geqrt, GivesTheFactorsOfLapack)
{
    for (size_t m : Sizes{40, 64, 300})
        for (size_t n : Sizes{7, 24, 33, 40})
            for (size_t ib : Sizes{1, 5, 7, n - 2}) {
                SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"ib", ib}}));
                const Matrix A = random_matrix(m, n, 31);
                expect_same_factors(geqrt(A, ib), lapack_geqrt(A, ib));
            }
}

TEST(Tsqrt, GivesTheFactorsOfLapack)
{
    for (size_t m : Sizes{1, 40, 64, 300})
        for (size_t n : Sizes{7, 24, 33, 40})
            for (size_t ib : Sizes{1, 5, 7, n - 2}) {
                SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"ib", ib}}));
                const Matrix R = part_of(random_matrix(n, n, 32), Part::upper);
                const Matrix A = random_matrix(m, n, 33);
                expect_same_factors(tsqrt(R, A, ib), lapack_tsqrt(R, A, ib));
            }
}

/* A column that is zero has no reflector: H = I. */
TEST(QrKernels, LeaveZeroColumnsAlone)
{
    const Sizes zeros = {0, 5, 8, 22, 23};
    const Matrix A = without_columns(random_matrix(50, 24, 34), zeros);
    const Matrix R = without_columns(part_of(random_matrix(24, 24, 35), Part::upper), zeros);
    expect_same_factors(geqrt(A, 24), lapack_geqrt(A, 24));
    expect_same_factors(tsqrt(R, A, 24), lapack_tsqrt(R, A, 24));
    expect_same_factors(tsqrt(R, Matrix(50, 24), 24), lapack_tsqrt(R, Matrix(50, 24), 24));
}

/* Q does not depend on the scale of columns, and R scales with them: no square overflows, and no small
 * column is lost. */
TEST(QrKernels, KeepTheAccuracyOfEachColumnAtAnyScale)
{
    const std::vector<std::vector<int>> scales = {
        {300}, {-300}, {140}, {-140}, {0, 300}, {0, -300}, {300, -300}, {150, -10, -150, 20, -290}};
    const Matrix A = random_matrix(70, 24, 36);
    const Matrix R = part_of(random_matrix(24, 24, 37), Part::upper);
    const Factors one = geqrt(A, 24), two = tsqrt(R, A, 24);
    const Matrix V = part_of(one.A, Part::unit_lower), T = part_of(one.A, Part::upper);
    for (const auto &exponents : scales) {
        Factors f = geqrt(scaled(A, exponents), 24);
        expect_close(part_of(f.A, Part::unit_lower), V);
        expect_close(scaled(part_of(f.A, Part::upper), exponents, -1), T);
        f = tsqrt(scaled(R, exponents), scaled(A, exponents), 24);
        expect_close(f.A, two.A);
        expect_close(scaled(f.R, exponents, -1), two.R);
    }
}

TEST(QrKernels, GiveTheSameBitsAtAnyAddress)
{
    const Matrix A = random_matrix(93, 40, 38);
    const Matrix R = part_of(random_matrix(40, 40, 39), Part::upper);
    const Factors one = geqrt(A, 20), two = tsqrt(R, A, 20);
    for (size_t padding : Sizes{4, 5, 8, 11, 35}) {
        EXPECT_EQ(geqrt(A, 20, padding).A.a, one.A.a) << padding;
        EXPECT_EQ(tsqrt(R, A, 20, padding).A.a, two.A.a) << padding;
    }
}
