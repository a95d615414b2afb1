/* SPDX-License-Identifier: BSD-3-Clause
 * The random matrices never change: checked against values and a second Philox, written from the paper. */
#include <algorithm>
#include <cmath>

#include "tests/support.h"

__extension__ typedef unsigned __int128 uint128;

struct Block {
    uint64_t v[2];
};

/* Philox2x64-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3
 * and the constants of Random123. */
static Block philox(uint64_t first, uint64_t second, uint64_t key)
{
    Block c = {{first, second}};
    for (int round = 0; round < 10; round++) {
        const uint128 product = static_cast<uint128>(c.v[0]) * UINT64_C(0xd2b74407b1ce6e93);
        c = {{static_cast<uint64_t>(product >> 64) ^ key ^ c.v[1], static_cast<uint64_t>(product)}};
        key += UINT64_C(0x9e3779b97f4a7c15);
    }
    return c;
}

/* The known answers that come with Random123 (kat_vectors). */
TEST(Philox, GivesTheKnownAnswers)
{
    const uint64_t ones = UINT64_MAX;
    EXPECT_EQ(philox(0, 0, 0).v[0], UINT64_C(0xca00a0459843d731));
    EXPECT_EQ(philox(0, 0, 0).v[1], UINT64_C(0x66c24222c9a845b5));
    EXPECT_EQ(philox(ones, ones, ones).v[0], UINT64_C(0x65b021d60cd8310f));
    EXPECT_EQ(philox(ones, ones, ones).v[1], UINT64_C(0x4d02f3222f86df20));
    const Block pi = philox(UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
                            UINT64_C(0xa4093822299f31d0));
    EXPECT_EQ(pi.v[0], UINT64_C(0x0a5e742c2997341c));
    EXPECT_EQ(pi.v[1], UINT64_C(0xb0f883d38000de5d));
}

/* The upper 53 bits of a word, from -1 on in steps of 2^-52. */
static double uniform(uint64_t seed, size_t i, size_t j)
{
    const uint64_t word = philox(i / 2, j, seed).v[i % 2];
    return std::ldexp(static_cast<double>(word >> 11), -52) - 1.0;
}

static double expected_element(input_kind kind, size_t n, uint64_t seed, size_t i, size_t j)
{
    const double order = static_cast<double>(n);
    if (kind == INPUT_SPD)
        return i == j ? order + std::fabs(uniform(seed, i, i))
                      : uniform(seed, std::max(i, j), std::min(i, j));
    return uniform(seed, i, j) + (kind == INPUT_DOMINANT && i == j ? order : 0.0);
}

static const input_kind kinds[] = {INPUT_UNIFORM, INPUT_SPD, INPUT_DOMINANT};

TEST(InputElement, IsTheSecondPhiloxs)
{
    for (input_kind kind : kinds)
        for (uint64_t seed : {UINT64_C(0), UINT64_C(42), UINT64_MAX})
            for (size_t i = 0; i < 30; i++)
                for (size_t j = 0; j < 30; j++) {
                    const input source = {kind, 97, 97, seed, nullptr};
                    EXPECT_TRUE(same_bits(input_element(&source, i, j),
                                          expected_element(kind, 97, seed, i, j)))
                        << describe({{"kind", kind}, {"seed", seed}, {"i", i}, {"j", j}});
                }
}

TEST(InputElement, NeverChanges)
{
    const struct {
        input_kind kind;
        uint64_t seed;
        size_t i, j;
        double value;
    } table[] = {
        {INPUT_UNIFORM, 42, 0, 0, 0x1.d7cc144a70662p-1},
        {INPUT_UNIFORM, 42, 1, 0, -0x1.d4ae9f0dec4f8p-1},
        {INPUT_UNIFORM, 42, 2, 0, -0x1.e389681412b2cp-1},
        {INPUT_UNIFORM, 42, 0, 1, 0x1.2e2a935f91b9ap-1},
        {INPUT_UNIFORM, 42, 7, 3, -0x1.7e979faec1f4p-4},
        {INPUT_UNIFORM, 42, 96, 96, 0x1.dc4c7848630c4p-1},
        {INPUT_UNIFORM, 0, 12345, 6789, 0x1.f8dd612c65ee6p-1},
        {INPUT_UNIFORM, UINT64_MAX, 5, 5, 0x1.192eeaeda1becp-1},
        {INPUT_SPD, 42, 0, 0, 0x1.3883af982894ep+14},
        {INPUT_SPD, 42, 0, 1, -0x1.d4ae9f0dec4f8p-1},
        {INPUT_SPD, 42, 7, 3, -0x1.7e979faec1f4p-4},
        {INPUT_SPD, 42, 3, 7, -0x1.7e979faec1f4p-4},
        {INPUT_SPD, UINT64_MAX, 5, 5, 0x1.3882325dd5db4p+14},
        {INPUT_DOMINANT, 42, 0, 0, 0x1.3883af982894ep+14},
        {INPUT_DOMINANT, 42, 0, 1, 0x1.2e2a935f91b9ap-1},
        {INPUT_DOMINANT, 42, 96, 96, 0x1.3883b898f090cp+14},
        {INPUT_DOMINANT, 42, 3, 7, 0x1.789955e3a43dp-2},
    };
    for (const auto &row : table) {
        const input source = {row.kind, 20000, 20000, row.seed, nullptr};
        EXPECT_TRUE(same_bits(input_element(&source, row.i, row.j), row.value))
            << describe({{"kind", row.kind}, {"seed", row.seed}, {"i", row.i}, {"j", row.j}});
    }
}

TEST(InputElement, LiesInTheHalfOpenIntervalAndHasMeanZero)
{
    const Matrix A = random_matrix(400, 400, 3);
    double sum = 0.0, squares = 0.0;
    for (double value : A.a) {
        ASSERT_TRUE(value >= -1.0 && value < 1.0);
        sum += value;
        squares += value * value;
    }
    /* Five standard deviations of a mean of 160000, and of its squares. */
    EXPECT_NEAR(sum / 160000.0, 0.0, 5 * 0.58 / 400);
    EXPECT_NEAR(squares / 160000.0, 1.0 / 3, 5 * 0.3 / 400);
}

TEST(InputElement, OfTheSpdKindIsSymmetric)
{
    const Matrix A = input_matrix(INPUT_SPD, 65, 65, 4);
    EXPECT_EQ(transposed(A).a, A.a);
}

TEST(InputElement, MakesDominantDiagonals)
{
    for (input_kind kind : {INPUT_SPD, INPUT_DOMINANT}) {
        const Matrix A = input_matrix(kind, 65, 65, 5);
        for (size_t j = 0; j < 65; j++) {
            double others = 0.0;
            for (size_t i = 0; i < 65; i++)
                others += i == j ? 0.0 : std::fabs(A(i, j));
            EXPECT_GT(std::fabs(A(j, j)), others) << j;
        }
    }
}

TEST(InputTile, HoldsTheElementsForOddOffsetsAndSizes)
{
    const Matrix file = random_matrix(61, 61, 6);
    for (input_kind kind : {INPUT_UNIFORM, INPUT_SPD, INPUT_DOMINANT, INPUT_FILE})
        for (size_t row : Sizes{0, 1, 7, 16, 33})
            for (size_t col : Sizes{0, 1, 8, 33})
                for (size_t rows : Sizes{0, 1, 2, 5, 16, 17})
                    for (size_t cols : Sizes{1, 4, 17}) {
                        const input source = {kind, 61, 61, 9, file.a.data()};
                        GuardedTile tile(Matrix(rows, cols));
                        input_tile(&source, row, col, tile.tile());
                        const Matrix values = tile.values();
                        EXPECT_TRUE(tile.intact());
                        for (size_t i = 0; i < rows; i++)
                            for (size_t j = 0; j < cols; j++)
                                EXPECT_TRUE(same_bits(values(i, j),
                                                      input_element(&source, row + i, col + j)))
                                    << describe({{"kind", kind}, {"i", row + i}, {"j", col + j}});
                    }
}

TEST(InputFill, IsTheSameForEveryTileSizeAndNumberOfThreads)
{
    const Matrix expected = random_matrix(50, 31, 10);
    const input source = {INPUT_UNIFORM, 50, 31, 10, nullptr};
    for (size_t nb : Sizes{1, 7, 16, 64})
        for (size_t threads : Sizes{1, 2, 5}) {
            TileMatrix A = make_tile_matrix(50, 31, nb);
            input_fill(&source, A.get(), 1, threads);
            EXPECT_EQ(to_matrix(A.get()).a, expected.a)
                << describe({{"nb", nb}, {"threads", threads}});
        }
}

TEST(InputFill, LeavesTilesAboveTheDiagonalOutWhereAsked)
{
    TileMatrix A = make_tile_matrix(48, 48, 16);
    const input source = {INPUT_SPD, 48, 48, 11, nullptr};
    input_fill(&source, A.get(), 0, 2);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            EXPECT_EQ(*tile_address(A.get(), i, j) == 0.0, i < j) << i << " " << j;
}

TEST(InputSign, IsABitOfAColumnThatNoMatrixHas)
{
    for (uint64_t seed : {UINT64_C(1), UINT64_C(42)})
        for (size_t p = 0; p < PROBES; p++)
            for (size_t i = 0; i < 300; i++) {
                const uint64_t word = philox(i / 64, UINT64_MAX - p, seed).v[0];
                EXPECT_EQ(input_sign(seed, i, p), (word >> (i % 64)) & 1 ? 1.0 : -1.0) << i;
            }
}

/* ---- products with the generated matrix ---- */

static struct tile view(Matrix &A)
{
    return {A.a.data(), A.rows, A.cols, A.rows, A.a.data()};
}

static void expect_product(input_kind kind, size_t m, size_t n, size_t threads)
{
    SCOPED_TRACE(describe({{"kind", kind}, {"m", m}, {"n", n}, {"threads", threads}}));
    Matrix A = input_matrix(kind, m, n, 9), X = random_matrix(n, 3, 5), Y(m, 3);
    const input source = {kind, m, n, 9, nullptr};
    double norm = 0.0, squares = 0.0;
    for (double value : A.a)
        squares += value * value;
    ASSERT_TRUE(input_multiply(&source, kind == INPUT_SPD, view(X), view(Y), threads, &norm));
    expect_close(Y, A * X);
    EXPECT_NEAR(norm, std::sqrt(squares), 1e-12 * norm);
}

TEST(InputMultiply, IsTheProductWithTheGeneratedMatrixAndItsNorm)
{
    for (size_t threads : Sizes{1, 2, 7}) {
        for (size_t n : Sizes{1, 2, 63, 64, 65, 300, 600})
            for (input_kind kind : kinds)
                expect_product(kind, n, n, threads);
        expect_product(INPUT_UNIFORM, 300, 70, threads);
        expect_product(INPUT_UNIFORM, 70, 300, threads);
    }
}
