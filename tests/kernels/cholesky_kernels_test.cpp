/* SPDX-License-Identifier: BSD-3-Clause
 * The tile kernels of Cholesky, and gemm, against plain loops. */
#include <algorithm>

#include "tests/support.h"

static const size_t cholesky_sizes[] = {1, 2, 3, 7, 16, 31, 33, 64, 65, 100};

TEST(Potrf, FactorsTheLowerTriangleAlone)
{
    Execution x = make_execution();
    for (size_t n : cholesky_sizes)
        for (size_t padding : Sizes{1, 5}) {
            SCOPED_TRACE(describe({{"n", n}, {"padding", padding}}));
            Matrix A = input_matrix(INPUT_SPD, n, n, 1);
            GuardedTile tile(A, Part::lower, padding);
            kernel_potrf(x.get(), 0, 0, tile.tile());
            Matrix L = part_of(tile.values(), Part::lower);
            EXPECT_TRUE(tile.intact());
            EXPECT_EQ(failure_of(x.get()), 0);
            expect_close(L * transposed(L), A);
        }
}

TEST(Potrf, SolvesForTheRowsBelow)
{
    Execution x = make_execution();
    for (size_t n : cholesky_sizes)
        for (size_t below : Sizes{1, 2, 17, 130}) {
            SCOPED_TRACE(describe({{"n", n}, {"below", below}}));
            Matrix A = stacked(input_matrix(INPUT_SPD, n, n, 1), random_matrix(below, n, 2));
            GuardedTile tile(A, Part::lower);
            kernel_potrf(x.get(), 0, 0, tile.tile());
            Matrix L = part_of(tile.values(), Part::lower);
            EXPECT_TRUE(tile.intact());
            EXPECT_EQ(failure_of(x.get()), 0);
            expect_close(L * transposed(part_of(L, Part::lower, n, n)), A);
        }
}

TEST(TrsmRightLower, SolvesXTimesLTransposed)
{
    Execution x = make_execution();
    for (size_t m : cholesky_sizes)
        for (size_t n : cholesky_sizes) {
            SCOPED_TRACE(describe({{"m", m}, {"n", n}}));
            Matrix L = input_matrix(INPUT_DOMINANT, n, n, 2), B = random_matrix(m, n, 3);
            GuardedTile triangle(L, Part::lower), solution(B);
            kernel_trsm_right_lower(x.get(), 0, triangle.tile(), solution.tile());
            EXPECT_TRUE(triangle.untouched());
            EXPECT_TRUE(solution.intact());
            expect_close(solution.values() * transposed(part_of(L, Part::lower)), B);
        }
}

TEST(Syrk, UpdatesTheLowerTriangleAlone)
{
    Execution x = make_execution();
    for (size_t n : cholesky_sizes)
        for (size_t k : cholesky_sizes) {
            SCOPED_TRACE(describe({{"n", n}, {"k", k}}));
            Matrix A = random_matrix(n, k, 4), C = random_matrix(n, n, 5);
            GuardedTile factor(A), updated(C, Part::lower);
            kernel_syrk(x.get(), 0, factor.tile(), updated.tile());
            EXPECT_TRUE(factor.untouched());
            EXPECT_TRUE(updated.intact());
            expect_close(part_of(updated.values(), Part::lower),
                         part_of(C - A * transposed(A), Part::lower));
        }
}

TEST(Syrk, LeavesTheUpperTriangleAsItIs)
{
    Execution x = make_execution();
    for (size_t n : cholesky_sizes) {
        SCOPED_TRACE(describe({{"n", n}}));
        Matrix A = random_matrix(n, 16, 4), C = random_matrix(n, n, 5);
        GuardedTile factor(A), updated(C);
        kernel_syrk(x.get(), 0, factor.tile(), updated.tile());
        const Matrix after = updated.values();
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < j; i++)
                EXPECT_EQ(after(i, j), C(i, j)) << i << " " << j;
    }
}

static void check_syrk(size_t n, size_t k, size_t below)
{
    SCOPED_TRACE(describe({{"n", n}, {"k", k}, {"below", below}}));
    Execution x = make_execution();
    Matrix A = random_matrix(n + below, k, 4), C = random_matrix(n + below, n, 5);
    GuardedTile factor(A), updated(C, Part::lower);
    kernel_syrk(x.get(), 0, factor.tile(), updated.tile());
    EXPECT_TRUE(factor.untouched());
    EXPECT_TRUE(updated.intact());
    Matrix product = A * transposed(part_of(A, Part::all, n, k));
    expect_close(part_of(updated.values(), Part::lower), part_of(C - product, Part::lower));
}

static void check_gemm(execution *x, transpose op, size_t m, size_t n, size_t k)
{
    SCOPED_TRACE(describe({{"op", op}, {"m", m}, {"n", n}, {"k", k}}));
    Matrix A = random_matrix(m, k, 6), B = random_matrix(k, n, 7), C = random_matrix(m, n, 8);
    GuardedTile left(A), right(op == TRANSPOSE ? transposed(B) : B), updated(C);
    kernel_gemm(x, 0, op, left.tile(), right.tile(), updated.tile());
    EXPECT_TRUE(left.untouched());
    EXPECT_TRUE(right.untouched());
    EXPECT_TRUE(updated.intact());
    expect_close(updated.values(), C - A * B);
}

TEST(Syrk, UpdatesTheRowsBelow)
{
    for (size_t n : Sizes{1, 3, 16, 33, 64})
        for (size_t k : Sizes{1, 7, 32, 65})
            for (size_t below : Sizes{1, 17, 130, 1030})
                check_syrk(n, k, below);
}

TEST(Syrk, UpdatesAcrossBlocks)
{
    for (size_t n : Sizes{8, 32, 56})
        for (size_t k : Sizes{385, 800})
            check_syrk(n, k, 31);
}

TEST(Gemm, SubtractsTheProductFromATallTile)
{
    for (size_t n : Sizes{1, 8, 31, 64})
        for (size_t k : Sizes{1, 8, 33, 64})
            for (transpose op : {NO_TRANSPOSE, TRANSPOSE})
                check_gemm(make_execution().get(), op, 1030, n, k);
}

/* Blocks of 8, 16 and 24 rows in all orders, and one to three parts of the inner dimension. */
TEST(Gemm, SubtractsTheProductAcrossBlocks)
{
    Execution x = make_execution();
    for (transpose op : {NO_TRANSPOSE, TRANSPOSE})
        for (size_t m : Sizes{5, 24, 25, 31, 40, 48, 51, 56, 80})
            for (size_t k : Sizes{383, 385, 800})
                check_gemm(x.get(), op, m, 17, k);
}

TEST(Gemm, SubtractsTheProduct)
{
    Execution x = make_execution();
    for (transpose op : {NO_TRANSPOSE, TRANSPOSE})
        for (size_t m : cholesky_sizes)
            for (size_t n : cholesky_sizes)
                for (size_t k : Sizes{1, 2, 7, 31, 33, 65})
                    check_gemm(x.get(), op, m, n, k);
}

TEST(GemmFill, GivesTheBitsOfAnUpdateOfZeroWhateverTheTileContained)
{
    Execution x = make_execution();
    for (size_t m : cholesky_sizes)
        for (size_t n : cholesky_sizes)
            for (size_t k : Sizes{1, 7, 33, 64}) {
                SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"k", k}}));
                Matrix A = random_matrix(m, k, 6), B = random_matrix(k, n, 7), undefined(m, n);
                std::fill(undefined.a.begin(), undefined.a.end(), NAN);
                GuardedTile left(A), right(B), zero(Matrix(m, n)), filled(undefined);
                kernel_gemm(x.get(), 0, NO_TRANSPOSE, left.tile(), right.tile(), zero.tile());
                kernel_gemm_fill(x.get(), 0, left.tile(), right.tile(), filled.tile());
                EXPECT_TRUE(left.untouched());
                EXPECT_TRUE(right.untouched());
                EXPECT_TRUE(filled.intact());
                EXPECT_EQ(filled.values().a, zero.values().a);
            }
}
