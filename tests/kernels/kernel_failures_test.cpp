/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels report the column of a break-down, and do nothing after one. */
#include <cmath>
#include <limits>

#include "tests/support.h"

static const size_t ORDER = 37, FIRST_COLUMN = 500;
static const double BAD_VALUES[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};

static int64_t potrf_failure(const Matrix &A)
{
    Execution x = make_execution();
    GuardedTile tile(A, Part::lower);
    kernel_potrf(x.get(), 0, FIRST_COLUMN, tile.tile());
    return failure_of(x.get());
}

TEST(PotrfFailure, IsTheFirstMinorThatIsNotPositive)
{
    for (size_t j = 0; j < ORDER; j++)
        for (double value : {0.0, -1.0}) {
            Matrix A = input_matrix(INPUT_SPD, ORDER, ORDER, 31);
            A(j, j) = value;
            EXPECT_EQ(potrf_failure(A), FIRST_COLUMN + j + 1) << value;
        }
}

/* A leading minor that contains row i contains all of the row's elements left of the diagonal. */
TEST(PotrfFailure, IsTheFirstMinorThatIsNotFinite)
{
    for (size_t i = 0; i < ORDER; i++)
        for (size_t j = 0; j <= i; j += 5) {
            Matrix A = input_matrix(INPUT_SPD, ORDER, ORDER, 32);
            A(i, j) = std::nan("");
            EXPECT_EQ(potrf_failure(A), FIRST_COLUMN + i + 1) << i << " " << j;
        }
}

/* Failure of panel k of a matrix of tiles of order nb. */
static int64_t getrf_failure(const Matrix &A, size_t k, size_t nb = 16)
{
    Execution x = make_execution();
    TileMatrix tiles = to_tiles(A, nb);
    std::vector<int> pivots(A.cols);
    std::vector<double> scratch(kernel_getrf_panel_doubles(tiles.get()));
    kernel_getrf(x.get(), k, tiles.get(), pivots.data(), scratch.data());
    return failure_of(x.get());
}

TEST(GetrfFailure, IsTheFirstColumnWithoutAPivot)
{
    for (size_t j = 0; j < 32; j++) {
        Matrix A = random_matrix(40, 32, 33);
        for (size_t i = 0; i < A.rows; i++)
            A(i, j) = 0.0;
        EXPECT_EQ(getrf_failure(A, j / 16), j + 1);
    }
}

TEST(GetrfFailure, IsTheFirstColumnThatIsNotFinite)
{
    for (double value : BAD_VALUES)
        for (size_t j = 0; j < 32; j++)
            for (size_t i : Sizes{j / 16 * 16, 31, 39}) {
                Matrix A = random_matrix(40, 32, 34);
                A(i, j) = value;
                EXPECT_EQ(getrf_failure(A, j / 16), j + 1) << i << " " << value;
            }
}

/* A column that doubles in each step until it is infinite, as the last of Wilkinson's matrix does. */
TEST(GetrfFailure, IsTheFirstColumnThatBecomesInfinite)
{
    for (size_t j : Sizes{12, 24, 30}) {
        Matrix A = random_matrix(40, 32, 35);
        for (size_t i = 0; i < A.rows; i++)
            for (size_t c = 0; c < A.cols; c++)
                A(i, c) = c == j ? 1e308 : c == i ? 1.0 : c < i ? -1.0 : 0.0;
        EXPECT_EQ(getrf_failure(A, 0, 32), j + 1);
    }
}

TEST(GetrfNopivFailure, IsTheFirstBadPivot)
{
    const double zero_or_bad[] = {0.0, BAD_VALUES[0], BAD_VALUES[1], BAD_VALUES[2]};
    for (double value : zero_or_bad)
        for (size_t j = 0; j < ORDER; j++) {
            Execution x = make_execution();
            Matrix A = identity(ORDER);
            A(j, j) = value;
            GuardedTile tile(A);
            kernel_getrf_nopiv(x.get(), 0, FIRST_COLUMN, tile.tile());
            EXPECT_EQ(failure_of(x.get()), FIRST_COLUMN + j + 1) << value;
        }
}

TEST(GeqrtFailure, IsTheFirstColumnThatIsNotFinite)
{
    for (double value : BAD_VALUES)
        for (size_t j = 0; j < ORDER; j++)
            for (size_t i : Sizes{0, j, ORDER - 1}) {
                Execution x = make_execution(1, kernel_qr_workspace_doubles(ORDER, 8));
                Matrix A = random_matrix(ORDER, ORDER, 35);
                A(i, j) = value;
                GuardedTile tile(A), T(Matrix(8, ORDER));
                kernel_geqrt(x.get(), 0, FIRST_COLUMN, tile.tile(), T.tile());
                EXPECT_EQ(failure_of(x.get()), FIRST_COLUMN + j + 1) << i << " " << value;
            }
}

TEST(PairQrFailure, IsTheFirstColumnThatIsNotFinite)
{
    for (auto factor : {kernel_tsqrt, kernel_ttqrt})
        for (size_t j = 0; j < ORDER; j++) {
            Execution x = make_execution(1, kernel_qr_workspace_doubles(ORDER, 8));
            Matrix A = random_matrix(ORDER, ORDER, 36);
            A(j / 2, j) = std::nan("");
            GuardedTile R(random_matrix(ORDER, ORDER, 37)), tile(A), T(Matrix(8, ORDER));
            factor(x.get(), 0, FIRST_COLUMN, R.tile(), tile.tile(), T.tile());
            EXPECT_EQ(failure_of(x.get()), FIRST_COLUMN + j + 1);
        }
}

class AfterAFailure : public testing::Test {
  protected:
    static constexpr size_t N = 8;
    Execution x = make_execution(1, kernel_qr_workspace_doubles(N, N));
    GuardedTile A{input_matrix(INPUT_SPD, N, N, 38)}, B{random_matrix(N, N, 39)},
        C{random_matrix(N, N, 40)}, D{random_matrix(N, N, 41)};

    void SetUp() override
    {
        execution_fail(x.get(), 3);
    }
    void TearDown() override
    {
        EXPECT_TRUE(A.untouched() && B.untouched() && C.untouched() && D.untouched());
        EXPECT_EQ(failure_of(x.get()), 3);
    }
};

TEST_F(AfterAFailure, CholeskyKernelsDoNothing)
{
    kernel_potrf(x.get(), 0, 0, A.tile());
    kernel_trsm_right_lower(x.get(), 0, A.tile(), B.tile());
    kernel_syrk(x.get(), 0, A.tile(), B.tile());
    kernel_gemm(x.get(), 0, TRANSPOSE, A.tile(), B.tile(), C.tile());
}

TEST_F(AfterAFailure, LuKernelsDoNothing)
{
    const Matrix before = random_matrix(2 * N, 2 * N, 42);
    TileMatrix tiles = to_tiles(before, N);
    std::vector<int> pivots(2 * N, static_cast<int>(N));
    std::vector<double> scratch(kernel_getrf_panel_doubles(tiles.get()));
    kernel_getrf(x.get(), 0, tiles.get(), pivots.data(), scratch.data());
    kernel_laswp(x.get(), 0, tiles.get(), 1, pivots.data());
    kernel_trsm_left_unit(x.get(), 0, A.tile(), B.tile());
    kernel_trsm_right_upper(x.get(), 0, A.tile(), B.tile());
    kernel_getrf_nopiv(x.get(), 0, 0, A.tile());
    EXPECT_EQ(to_matrix(tiles.get()).a, before.a);
    EXPECT_EQ(pivots, std::vector<int>(2 * N, static_cast<int>(N)));
}

TEST_F(AfterAFailure, QrKernelsDoNothing)
{
    kernel_geqrt(x.get(), 0, 0, A.tile(), B.tile());
    kernel_unmqr(x.get(), 0, TRANSPOSE, A.tile(), B.tile(), C.tile());
    kernel_tsqrt(x.get(), 0, 0, A.tile(), B.tile(), C.tile());
    kernel_tsmqr(x.get(), 0, TRANSPOSE, A.tile(), B.tile(), C.tile(), D.tile());
    kernel_ttqrt(x.get(), 0, 0, A.tile(), B.tile(), C.tile());
    kernel_ttmqr(x.get(), 0, TRANSPOSE, A.tile(), B.tile(), C.tile(), D.tile());
}
