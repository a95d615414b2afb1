/* SPDX-License-Identifier: BSD-3-Clause
 * The tile kernels of QR: Q, made by applying the reflectors to the identity, is orthogonal, and Q R
 * gives the tiles back. */
#include <algorithm>

#include "tests/support.h"

static const size_t qr_sizes[] = {1, 2, 3, 7, 16, 31, 33, 64};

/* Inner blocks for n columns: one, some that divide n and some that do not, all columns, more. */
static std::vector<size_t> inner_blocks(size_t n)
{
    std::vector<size_t> blocks = {1, 5, 8, n, n + 3};
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
}

static Execution execution_for(size_t rows, size_t cols, size_t ib)
{
    size_t nb = std::max(rows, cols);
    return make_execution(1,
                          kernel_qr_workspace_doubles(nb, std::max<size_t>(1, std::min(ib, nb))));
}

static void expect_orthogonal(const Matrix &Q)
{
    expect_close(transposed(Q) * Q, identity(Q.rows));
}

static Matrix apply_unmqr(execution *x, transpose op, GuardedTile &V, GuardedTile &T,
                          const Matrix &C)
{
    GuardedTile tile(C);
    kernel_unmqr(x, 0, op, V.tile(), T.tile(), tile.tile());
    EXPECT_TRUE(tile.intact());
    return tile.values();
}

static void check_geqrt(size_t m, size_t n, size_t ib)
{
    SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"ib", ib}}));
    Execution x = execution_for(m, std::max(m, n), ib);
    Matrix A = random_matrix(m, n, 21);
    GuardedTile V(A), T(Matrix(ib, std::min(m, n)));
    kernel_geqrt(x.get(), 0, 0, V.tile(), T.tile());
    EXPECT_EQ(failure_of(x.get()), 0);
    EXPECT_TRUE(V.intact() && T.intact());

    Matrix R = part_of(V.values(), Part::upper), before = V.values();
    Matrix Q = apply_unmqr(x.get(), NO_TRANSPOSE, V, T, identity(m));
    expect_orthogonal(Q);
    expect_close(Q * R, A);
    expect_close(apply_unmqr(x.get(), TRANSPOSE, V, T, A), R);
    EXPECT_EQ(V.values().a, before.a);
}

TEST(Geqrt, QIsOrthogonalAndQRGivesTheTileBack)
{
    for (size_t m : qr_sizes)
        for (size_t n : qr_sizes)
            for (size_t ib : inner_blocks(n))
                check_geqrt(m, n, ib);
}

TEST(Geqrt, FactorsTallTiles)
{
    for (size_t m : Sizes{100, 200})
        for (size_t n : Sizes{24, 70})
            for (size_t ib : Sizes{20, 32, n})
                check_geqrt(m, n, ib);
}

/* The kernels on a pair of tiles: TS or TT. */
struct Pair {
    void (*factor)(execution *, size_t, size_t, struct tile, struct tile, struct tile);
    void (*apply)(execution *, size_t, transpose, struct tile, struct tile, struct tile,
                  struct tile);
    Part part;
};

/* (C1; C2) := op(Q) (C1; C2), with C1 given two rows more than take part. */
static Matrix apply_pair(execution *x, const Pair &pair, transpose op, GuardedTile &V,
                         GuardedTile &T, const Matrix &C1, const Matrix &C2)
{
    const Matrix rest = random_matrix(2, C1.cols, 22);
    GuardedTile top(stacked(C1, rest)), bottom(C2);
    pair.apply(x, 0, op, V.tile(), T.tile(), top.tile(), bottom.tile());
    EXPECT_TRUE(top.intact() && bottom.intact());
    Matrix tops = top.values(), upper(C1.rows, C1.cols);
    for (size_t j = 0; j < C1.cols; j++) {
        for (size_t i = 0; i < C1.rows; i++)
            upper(i, j) = tops(i, j);
        for (size_t i = 0; i < 2; i++)
            EXPECT_TRUE(same_bits(tops(C1.rows + i, j), rest(i, j)));
    }
    return stacked(upper, bottom.values());
}

static Matrix pair_Q(execution *x, const Pair &pair, GuardedTile &V, GuardedTile &T, size_t n,
                     size_t m)
{
    Matrix unit = identity(n + m), top(n, n + m), bottom(m, n + m);
    for (size_t j = 0; j < n + m; j++) {
        for (size_t i = 0; i < n; i++)
            top(i, j) = unit(i, j);
        for (size_t i = 0; i < m; i++)
            bottom(i, j) = unit(n + i, j);
    }
    return apply_pair(x, pair, NO_TRANSPOSE, V, T, top, bottom);
}

static void check_pair(const Pair &pair, size_t m, size_t n, size_t ib, size_t T_columns)
{
    SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"ib", ib}, {"columns of T", T_columns}}));
    Execution x = execution_for(m, n + m, ib);
    Matrix R = part_of(random_matrix(n, n, 23), Part::upper);
    Matrix A = part_of(random_matrix(m, n, 24), pair.part);
    GuardedTile top(R, Part::upper), V(A, pair.part), T(Matrix(ib, T_columns));
    pair.factor(x.get(), 0, 0, top.tile(), V.tile(), T.tile());
    EXPECT_EQ(failure_of(x.get()), 0);
    EXPECT_TRUE(top.intact() && V.intact() && T.intact());

    Matrix result = stacked(part_of(top.values(), Part::upper), Matrix(m, n));
    Matrix Q = pair_Q(x.get(), pair, V, T, n, m);
    expect_orthogonal(Q);
    expect_close(Q * result, stacked(R, A));
    expect_close(apply_pair(x.get(), pair, TRANSPOSE, V, T, R, A), result);
    EXPECT_TRUE(V.intact());
}

TEST(Tsqrt, QIsOrthogonalAndQRGivesTheTilesBack)
{
    for (size_t m : qr_sizes)
        for (size_t n : qr_sizes)
            for (size_t ib : inner_blocks(n))
                check_pair({kernel_tsqrt, kernel_tsmqr, Part::all}, m, n, ib, n);
}

TEST(Tsqrt, QIsOrthogonalAndQRGivesTheTilesBackWithTheProductsInT)
{
    for (size_t m : qr_sizes)
        for (size_t n : qr_sizes)
            for (size_t ib : inner_blocks(n))
                for (size_t larger : Sizes{0, 3}) // the tile at the edge of a matrix
                    check_pair({kernel_tsqrt, kernel_tsmqr, Part::all}, m, n, ib,
                               kernel_qr_T_columns(m + larger, n + larger, ib));
}

TEST(Tsqrt, FactorsTallTiles)
{
    for (size_t m : Sizes{100, 200})
        for (size_t n : Sizes{24, 70})
            for (size_t ib : Sizes{20, 32, n})
                check_pair({kernel_tsqrt, kernel_tsmqr, Part::all}, m, n, ib, n);
}

/* The second tile may be lower than wide, at the lower edge of the matrix; below its
 * diagonal are the reflectors of an earlier geqrt. */
TEST(Ttqrt, QIsOrthogonalAndQRGivesTheTrianglesBack)
{
    for (size_t n : qr_sizes)
        for (size_t m : qr_sizes)
            for (size_t ib : inner_blocks(n))
                if (m <= n)
                    check_pair({kernel_ttqrt, kernel_ttmqr, Part::upper}, m, n, ib, n);
}

TEST(Ttmqr, LeavesRowsBelowTheTriangleAlone)
{
    const size_t m = 12, n = 7, ib = 4;
    Execution x = execution_for(m, m, ib);
    GuardedTile R(part_of(random_matrix(n, n, 25), Part::upper));
    GuardedTile V(random_matrix(m, n, 26), Part::upper), T(Matrix(ib, n));
    kernel_ttqrt(x.get(), 0, 0, R.tile(), V.tile(), T.tile());
    const Matrix C = random_matrix(m, 9, 27);
    GuardedTile C1(random_matrix(n, 9, 28)), C2(C);
    kernel_ttmqr(x.get(), 0, TRANSPOSE, V.tile(), T.tile(), C1.tile(), C2.tile());
    EXPECT_TRUE(V.intact());
    for (size_t j = 0; j < C.cols; j++)
        for (size_t i = 0; i < C.rows; i++)
            EXPECT_EQ(same_bits(C2.values()(i, j), C(i, j)), i >= n) << i << " " << j;
}
