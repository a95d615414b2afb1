/* SPDX-License-Identifier: BSD-3-Clause
 * The tile kernels of LU against LAPACK's whole-matrix routines and plain loops. */
#include <complex>
#define LAPACK_COMPLEX_CPP
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "tests/support.h"

static const size_t lu_sizes[] = {1, 2, 3, 7, 16, 31, 33, 64, 65, 100};

/* A matrix and the tiles it is stored in. */
struct Tiling {
    size_t m, n, mb, nb;
};

static std::string describe(Tiling t, size_t k)
{
    return describe({{"m", t.m}, {"n", t.n}, {"mb", t.mb}, {"nb", t.nb}, {"k", k}});
}

/* Every step of matrices of all sizes, in square tiles and in tall ones: of several blocks, and with
 * all rows in one tile. */
template <typename Check> static void for_every_step(Check check)
{
    for (size_t nb : Sizes{1, 7, 16, 33})
        for (size_t mb : Sizes{nb, 2 * nb, 3 * nb, 100 * nb})
            for (size_t m : lu_sizes)
                for (size_t n : Sizes{1, nb, 2 * nb - 1, 3 * nb + 1})
                    for (size_t k = 0; k * nb < std::min(m, n); k++)
                        check(Tiling{m, n, mb, nb}, k);
}

static TileMatrix to_tiles(const Matrix &A, Tiling t)
{
    TileMatrix tiles = {tile_matrix_create(t.m, t.n, t.mb, t.nb, nullptr), tile_matrix_destroy};
    for (size_t j = 0; j < A.cols; j++)
        for (size_t i = 0; i < A.rows; i++)
            *tile_matrix_element(tiles.get(), i, j) = A(i, j);
    return tiles;
}

/* The rows from k*nb down of tile column k. */
static Matrix panel_of(const Matrix &A, size_t k, size_t nb)
{
    Matrix panel(A.rows - k * nb, std::min(nb, A.cols - k * nb));
    for (size_t j = 0; j < panel.cols; j++)
        for (size_t i = 0; i < panel.rows; i++)
            panel(i, j) = A(k * nb + i, k * nb + j);
    return panel;
}

static std::vector<int> lapack_getrf(Matrix &A)
{
    std::vector<int> pivots(std::min(A.rows, A.cols));
    LAPACKE_dgetrf(LAPACK_COL_MAJOR, static_cast<int>(A.rows), static_cast<int>(A.cols), A.a.data(),
                   static_cast<int>(A.rows), pivots.data());
    return pivots;
}

/* Expects that A and B agree outside tile column k from row k*nb down. */
static void expect_same_outside_panel(const Matrix &A, const Matrix &B, size_t k, size_t nb)
{
    for (size_t j = 0; j < A.cols; j++)
        for (size_t i = 0; i < A.rows; i++) {
            if (j / nb != k || i < k * nb) {
                EXPECT_TRUE(same_bits(A(i, j), B(i, j))) << i << " " << j;
            }
        }
}

static void check_getrf(Tiling t, size_t k)
{
    SCOPED_TRACE(describe(t, k));
    Execution x = make_execution();
    const size_t nb = t.nb;
    Matrix A = random_matrix(t.m, t.n, 11), expected = panel_of(A, k, nb);
    TileMatrix tiles = to_tiles(A, t);
    std::vector<int> pivots(std::min(t.m, t.n) + 1, -7), wanted = lapack_getrf(expected);
    std::vector<double> scratch(kernel_getrf_panel_doubles(tiles.get()));

    kernel_getrf(x.get(), k, tiles.get(), pivots.data(), scratch.data());

    Matrix result = to_matrix(tiles.get());
    EXPECT_EQ(failure_of(x.get()), 0);
    for (size_t i = 0; i < pivots.size(); i++) {
        bool own = i >= k * nb && i < k * nb + wanted.size();
        EXPECT_EQ(pivots[i], own ? wanted[i - k * nb] + static_cast<int>(k * nb) : -7) << i;
    }
    expect_close(panel_of(result, k, nb), expected);
    expect_same_outside_panel(result, A, k, nb);
}

TEST(Getrf, MatchesLapackOnATileColumn)
{
    for_every_step(check_getrf);
}

TEST(Getrf, MatchesLapackOnWidePanels)
{
    for (size_t nb : Sizes{64, 100, 160})
        for (size_t mb : Sizes{nb, 2 * nb, 4 * nb})
            for (size_t k : Sizes{0, 1})
                check_getrf({330, 2 * nb + 3, mb, nb}, k);
}

/* A Hadamard matrix of order 128, its rows in the order of their reversed bits: elimination is exact, and
 * many elements of a column are its largest, also far below the diagonal. */
static Matrix hadamard()
{
    Matrix H(128, 128);
    for (size_t i = 0; i < 128; i++) {
        size_t row = 0;
        for (size_t bit = 0; bit < 7; bit++)
            row |= (i >> bit & 1) << (6 - bit);
        for (size_t j = 0; j < 128; j++)
            H(row, j) = __builtin_parityll(i & j) ? -1.0 : 1.0;
    }
    return H;
}

TEST(Getrf, TakesTheFirstOfEqualPivots)
{
    Execution x = make_execution();
    Matrix H = hadamard(), expected = H;
    std::vector<int> pivots(128), wanted(128);
    for (size_t k = 0; k < 128; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < 128; i++)
            if (std::abs(expected(i, k)) > std::abs(expected(best, k)))
                best = i;
        wanted[k] = static_cast<int>(best + 1);
        for (size_t j = 0; j < 128; j++)
            std::swap(expected(k, j), expected(best, j));
        for (size_t i = k + 1; i < 128; i++) {
            expected(i, k) /= expected(k, k);
            for (size_t j = k + 1; j < 128; j++)
                expected(i, j) -= expected(i, k) * expected(k, j);
        }
    }
    TileMatrix tiles = to_tiles(H, 128);
    std::vector<double> scratch(kernel_getrf_panel_doubles(tiles.get()));
    kernel_getrf(x.get(), 0, tiles.get(), pivots.data(), scratch.data());
    EXPECT_EQ(pivots, wanted);
    EXPECT_EQ(to_matrix(tiles.get()).a, expected.a);
}

/* What P places of tiles keep of a panel, in the order of their first rows of tiles. */
class Places {
  public:
    Places(size_t columns, size_t count) : rows_(count)
    {
        for (panel_rows &rows : rows_)
            panel_rows_create(&rows, columns, count - 1);
    }
    Places(const Places &) = delete;
    Places &operator=(const Places &) = delete;
    ~Places()
    {
        for (panel_rows &rows : rows_)
            panel_rows_destroy(&rows);
    }

    /* Factors the panel of step k. */
    void factor(execution *x, const tile_matrix *A, size_t k, int *pivots)
    {
        for (size_t column = 0; column < panel_pivot_count(A, k); column++) {
            for_each_panel(A, k,
                           [&](spread_panel panel) { kernel_panel_search(x, panel, column); });
            send_candidates(column);
            kernel_panel_pivot(x, panel_of(A, k, 0), column);
            send_winner(column);
            for_each_panel(
                A, k, [&](spread_panel panel) { kernel_panel_column(x, panel, column, pivots); });
        }
    }

  private:
    spread_panel panel_of(const tile_matrix *A, size_t k, size_t place)
    {
        return {A, k, tile_top(A, k) + place, rows_.size(), rows_.size() - 1, &rows_[place]};
    }

    template <typename Call> void for_each_panel(const tile_matrix *A, size_t k, Call call)
    {
        for (size_t place = 0; place < rows_.size(); place++)
            call(panel_of(A, k, place));
    }

    void send_candidates(size_t column)
    {
        for (size_t other = 1; other < rows_.size(); other++)
            std::copy_n(panel_candidate(&rows_[other], column),
                        panel_candidate_doubles(rows_[0].columns),
                        panel_received(&rows_[0], other - 1));
    }

    void send_winner(size_t column)
    {
        for (size_t other = 1; other < rows_.size(); other++)
            std::copy_n(panel_winner(&rows_[0], column), panel_winner_doubles(rows_[0].columns),
                        panel_winner(&rows_[other], column));
    }

    std::vector<panel_rows> rows_;
};

static void check_spread_panel(Tiling t, size_t k)
{
    SCOPED_TRACE(describe(t, k));
    const size_t nb = t.nb;
    Matrix A = random_matrix(t.m, t.n, 11), expected = panel_of(A, k, nb), first = A;
    std::vector<int> wanted = lapack_getrf(expected);
    for (size_t count : Sizes{1, 2, 3}) {
        Execution x = make_execution();
        TileMatrix tiles = to_tiles(A, t);
        std::vector<int> pivots(std::min(t.m, t.n) + 1, -7);
        Places(nb, count).factor(x.get(), tiles.get(), k, pivots.data());
        Matrix result = to_matrix(tiles.get());
        EXPECT_EQ(failure_of(x.get()), 0);
        for (size_t i = 0; i < wanted.size(); i++)
            EXPECT_EQ(pivots[k * nb + i], wanted[i] + static_cast<int>(k * nb)) << i;
        expect_close(panel_of(result, k, nb), expected);
        expect_same_outside_panel(result, A, k, nb);
        first = count == 1 ? result : first;
        EXPECT_EQ(result.a, first.a) << count << " places";
    }
}

TEST(SpreadPanel, MatchesLapackWithTheSameBitsWhereverTilesAre)
{
    for_every_step(check_spread_panel);
}

TEST(SpreadPanel, TakesTheFirstOfEqualPivots)
{
    Execution x = make_execution();
    Matrix H = hadamard();
    TileMatrix tiles = to_tiles(H, {128, 128, 16, 16});
    std::vector<int> pivots(128), wanted(128);
    std::vector<double> scratch(kernel_getrf_panel_doubles(tiles.get()));
    kernel_getrf(x.get(), 0, tiles.get(), wanted.data(), scratch.data());
    tiles = to_tiles(H, {128, 128, 16, 16});
    Places(16, 3).factor(x.get(), tiles.get(), 0, pivots.data());
    EXPECT_EQ(pivots, wanted);
}

TEST(SpreadPanel, FailsAtTheFirstColumnWithoutAPivot)
{
    for (double value : {0.0, std::nan(""), HUGE_VAL})
        for (size_t j : Sizes{0, 5, 15})
            for (size_t count : Sizes{1, 3}) {
                Execution x = make_execution();
                Matrix A = random_matrix(48, 16, 34);
                for (size_t i = value == 0 ? 0 : 40; i < 48; i++)
                    A(i, j) = value;
                TileMatrix tiles = to_tiles(A, {48, 16, 16, 16});
                std::vector<int> pivots(16);
                Places(16, count).factor(x.get(), tiles.get(), 0, pivots.data());
                EXPECT_EQ(failure_of(x.get()), j + 1) << value;
            }
}

/* Pivots for `count` rows from `first` on, each at or below its row. */
static std::vector<int> some_pivots(size_t m, size_t first, size_t count)
{
    std::vector<int> pivots(first + count);
    for (size_t i = first; i < first + count; i++)
        pivots[i] = static_cast<int>(i + 1 + (7 * i + 3) % (m - i));
    return pivots;
}

/* Forward exchanges of rows first … of A, whose partners are in `pivots`. */
static void lapack_laswp(Matrix &A, size_t first, const std::vector<int> &pivots)
{
    LAPACKE_dlaswp(LAPACK_COL_MAJOR, static_cast<int>(A.cols), A.a.data(), static_cast<int>(A.rows),
                   static_cast<int>(first + 1), static_cast<int>(pivots.size()), pivots.data(), 1);
}

static void check_laswp(Tiling t, size_t k)
{
    Execution x = make_execution();
    const size_t m = t.m, n = t.n, nb = t.nb;
    Matrix A = random_matrix(m, n, 12);
    size_t count = std::min(nb, std::min(m, n) - k * nb);
    std::vector<int> pivots = some_pivots(m, k * nb, count);
    TileMatrix tiles = to_tiles(A, t);
    for (size_t j = 0; j < tiles->nt; j++)
        kernel_laswp(x.get(), k, tiles.get(), j, pivots.data());
    lapack_laswp(A, k * nb, pivots);
    EXPECT_EQ(to_matrix(tiles.get()).a, A.a) << describe(t, k);
}

TEST(Laswp, MatchesLapackOnEveryTileColumn)
{
    for_every_step(check_laswp);
}

static void check_laswp_from(Tiling t, size_t k)
{
    Matrix A = random_matrix(t.m, t.n, 12);
    size_t first = k * t.nb;
    std::vector<int> pivots = some_pivots(t.m, first, std::min(t.m, t.n) - first);
    TileMatrix tiles = to_tiles(A, t);
    Execution x = make_execution(1, kernel_laswp_workspace_doubles(tiles->m));
    for (size_t j = 0; j < tiles->nt; j++)
        kernel_laswp_from(x.get(), k, tiles.get(), j, pivots.data());
    lapack_laswp(A, first, pivots);
    EXPECT_EQ(to_matrix(tiles.get()).a, A.a) << describe(t, k);
}

TEST(Laswp, OfAllLaterPanelsMatchesLapackOnEveryTileColumn)
{
    for_every_step(check_laswp_from);
}

/* Rows of tiles as P ranks have them, the ranks in any order; that of the step is the last. */
static void check_laswp_part(size_t n, size_t nb, size_t k, size_t ranks, bool upwards)
{
    Matrix A = random_matrix(n, n, 12);
    std::vector<int> pivots = some_pivots(n, k * nb, nb);
    TileMatrix tiles = to_tiles(A, {n, n, nb, nb});
    Execution x = make_execution(1, kernel_laswp_workspace_doubles(n));
    for (size_t j = k + 1; j < tiles->nt; j++) {
        for (size_t r = 1; r < ranks; r++) {
            size_t first = k + (upwards ? ranks - r : r);
            if (first < tiles->mt)
                kernel_laswp_part(x.get(), k, tiles.get(), j, pivots.data(), {first, ranks, false});
        }
        kernel_laswp_part(x.get(), k, tiles.get(), j, pivots.data(), {k + ranks, ranks, true});
    }
    Matrix left = A;
    lapack_laswp(A, k * nb, pivots);
    std::copy_n(left.a.begin(), n * (k + 1) * nb, A.a.begin());
    EXPECT_EQ(to_matrix(tiles.get()).a, A.a)
        << describe({{"n", n}, {"nb", nb}, {"k", k}, {"ranks", ranks}, {"upwards", upwards}});
}

TEST(Laswp, MatchesLapackInPartsOfAnyRanksInAnyOrder)
{
    for (size_t n : {2, 7, 16, 33, 50})
        for (size_t nb : {1, 3, 5, 16})
            for (size_t k = 0; (k + 1) * nb < n; k++)
                for (size_t ranks : {1, 2, 3, 5})
                    for (bool upwards : {false, true})
                        check_laswp_part(n, nb, k, ranks, upwards);
}

TEST(TrsmLeftUnit, SolvesLTimesXWithoutReadingTheDiagonal)
{
    Execution x = make_execution();
    for (size_t n : lu_sizes)
        for (size_t m : lu_sizes) {
            SCOPED_TRACE(describe({{"n", n}, {"m", m}}));
            Matrix L = random_matrix(n, n, 13), B = random_matrix(n, m, 14);
            for (double &value : L.a)
                value /= static_cast<double>(n);
            GuardedTile triangle(L, Part::unit_lower), solution(B);
            kernel_trsm_left_unit(x.get(), 0, triangle.tile(), solution.tile());
            EXPECT_TRUE(triangle.untouched());
            EXPECT_TRUE(solution.intact());
            expect_close(part_of(L, Part::unit_lower) * solution.values(), B);
        }
}

TEST(TrsmLeftUnit, SolvesWithALargeTriangle)
{
    Execution x = make_execution();
    Matrix L = random_matrix(530, 530, 13), B = random_matrix(530, 9, 14);
    for (double &value : L.a)
        value /= 530.0;
    GuardedTile triangle(L, Part::unit_lower), solution(B);
    kernel_trsm_left_unit(x.get(), 0, triangle.tile(), solution.tile());
    EXPECT_TRUE(solution.intact());
    expect_close(part_of(L, Part::unit_lower) * solution.values(), B);
}

/* In the last row of tiles of a wide matrix. */
TEST(TrsmLeftUnit, UsesTheLeadingPartOfAWiderTile)
{
    Execution x = make_execution();
    Matrix L = random_matrix(5, 16, 15), B = random_matrix(5, 16, 16);
    GuardedTile triangle(L, Part::unit_lower), solution(B);
    kernel_trsm_left_unit(x.get(), 0, triangle.tile(), solution.tile());
    expect_close(part_of(L, Part::unit_lower, 5, 5) * solution.values(), B);
}

TEST(TrsmRightUpper, SolvesXTimesU)
{
    Execution x = make_execution();
    for (size_t m : lu_sizes)
        for (size_t n : lu_sizes) {
            SCOPED_TRACE(describe({{"m", m}, {"n", n}}));
            Matrix U = input_matrix(INPUT_DOMINANT, n, n, 17), B = random_matrix(m, n, 18);
            GuardedTile triangle(U, Part::upper), solution(B);
            kernel_trsm_right_upper(x.get(), 0, triangle.tile(), solution.tile());
            EXPECT_TRUE(triangle.untouched());
            EXPECT_TRUE(solution.intact());
            expect_close(solution.values() * part_of(U, Part::upper), B);
        }
}

TEST(TrsmRightUpper, SolvesWithALargeTriangle)
{
    Execution x = make_execution();
    Matrix U = input_matrix(INPUT_DOMINANT, 530, 530, 17), B = random_matrix(9, 530, 18);
    GuardedTile triangle(U, Part::upper), solution(B);
    kernel_trsm_right_upper(x.get(), 0, triangle.tile(), solution.tile());
    EXPECT_TRUE(solution.intact());
    expect_close(solution.values() * part_of(U, Part::upper), B);
}

TEST(GetrfNopiv, ReproducesTheTile)
{
    Execution x = make_execution();
    for (size_t m : lu_sizes)
        for (size_t n : lu_sizes) {
            SCOPED_TRACE(describe({{"m", m}, {"n", n}}));
            Matrix A = input_matrix(INPUT_DOMINANT, m, n, 19);
            for (size_t i = 0; i < std::min(m, n); i++)
                A(i, i) += 100.0;
            GuardedTile tile(A);
            kernel_getrf_nopiv(x.get(), 0, 0, tile.tile());
            size_t k = std::min(m, n);
            EXPECT_TRUE(tile.intact());
            EXPECT_EQ(failure_of(x.get()), 0);
            expect_close(part_of(tile.values(), Part::unit_lower, m, k) *
                             part_of(tile.values(), Part::upper, k, n),
                         A);
        }
}
