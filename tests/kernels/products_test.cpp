/* SPDX-License-Identifier: BSD-3-Clause
 * The products without packing, of all shapes, against plain loops. */
#include "tests/support.h"

extern "C" {
#include "kernels/dense/dgemm.h"
#include "kernels/dense/product.h"
}

static Matrix negative(Matrix A)
{
    for (double &a : A.a)
        a = -a;
    return A;
}

/* Calls a product on tiles with guards; `part` of A counts. */
template <typename Product>
static Matrix product_on_tiles(Product product, const Matrix &A, Part part, const Matrix &B,
                               const Matrix &C)
{
    GuardedTile a(A, part), b(B), c(C);
    product(a.tile(), b.tile(), c.tile());
    EXPECT_TRUE(a.intact() && b.intact() && c.intact());
    return c.values();
}

static void check_transposed(size_t m, size_t n, size_t k, shape s)
{
    SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"k", k}, {"shape", s}}));
    const Part part = s == SHAPE_UNIT_LOWER ? Part::unit_lower : Part::all;
    const Matrix whole = random_matrix(k, m, 41), B = random_matrix(k, n, 42);
    const Matrix A = part_of(whole, s == SHAPE_UPPER ? Part::upper : part);
    const Matrix C = random_matrix(m, n, 43), AB = transposed(A) * B;
    for (update u : {UPDATE_ASSIGN, UPDATE_ADD}) {
        if (u == UPDATE_ADD && s == SHAPE_UNIT_LOWER)
            continue;
        Matrix result = product_on_tiles(
            [&](tile a, tile b, tile c) { product_transposed(u, s, a, b, c); }, A, part, B, C);
        expect_close(result, u == UPDATE_ASSIGN ? AB : C - negative(AB));
    }
}

static void check_plain(size_t m, size_t n, size_t k)
{
    SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"k", k}}));
    const Matrix A = random_matrix(m, k, 44), B = random_matrix(k, n, 45);
    const Matrix C = random_matrix(m, n, 46), AB = A * B;
    expect_close(product_on_tiles(assign_product, A, Part::all, B, C), AB);
    for (transpose op : {NO_TRANSPOSE, TRANSPOSE}) {
        const Matrix stored = op == TRANSPOSE ? transposed(B) : B;
        Matrix result =
            product_on_tiles([&](tile a, tile b, tile c) { subtract_product(a, op, b, c); }, A,
                             Part::all, stored, C);
        expect_close(result, C - AB);
    }
}

static void check_trapezoid(size_t m, size_t n, size_t k)
{
    SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"k", k}}));
    const Matrix L = part_of(random_matrix(m, k, 44), Part::unit_lower);
    const Matrix B = random_matrix(k, n, 45), C = random_matrix(m, n, 46);
    Matrix result = product_on_tiles(subtract_trapezoid_product, L, Part::unit_lower, B, C);
    expect_close(result, C - L * B);
}

static const size_t product_sizes[] = {1, 2, 3, 7, 8, 9, 23, 25, 50};

TEST(Products, AreThoseOfTheirFactors)
{
    for (size_t m : product_sizes)
        for (size_t n : product_sizes)
            for (size_t k : product_sizes) {
                check_transposed(m, n, k, SHAPE_GENERAL);
                check_plain(m, n, k);
            }
}

/* Of a unit lower triangle nothing is read but what is below its diagonal. */
TEST(Products, KnowTheZerosOfTriangles)
{
    for (size_t n : Sizes{1, 3, 8, 11})
        for (size_t k : product_sizes) {
            check_transposed(k, n, k, SHAPE_UPPER);
            for (size_t below : Sizes{0, 1, 5, 8, 30}) {
                check_transposed(k, n, k + below, SHAPE_UNIT_LOWER);
                check_trapezoid(k + below, n, k);
            }
        }
}

/* Enough columns that a transposed factor is copied: blocks of one to three, parts of 384 rows. */
TEST(Products, AreRightForManyColumns)
{
    for (size_t n : Sizes{64, 75})
        for (size_t m : Sizes{33, 56, 64, 80, 150}) {
            for (size_t k : Sizes{1, 9, 80, 390, 770})
                check_transposed(m, n, k, SHAPE_GENERAL);
            check_transposed(m, n, m, SHAPE_UPPER);
            for (size_t below : Sizes{0, 3, 400})
                check_transposed(m, n, m + below, SHAPE_UNIT_LOWER);
        }
    check_transposed(400, 64, 400, SHAPE_UPPER);
}

/* Beyond every block size: of the inner dimension, of rows, and of what is left to dgemm. */
TEST(Products, AreRightAcrossBlocks)
{
    for (size_t k : Sizes{256, 300, 520})
        for (size_t n : Sizes{1, 9}) {
            check_transposed(20, n, k, SHAPE_GENERAL);
            check_plain(250, n, k);
            check_transposed(k, n, k, SHAPE_UPPER);
            check_transposed(k, n, k + 3, SHAPE_UNIT_LOWER);
            check_trapezoid(k + 3, n, k);
            check_trapezoid(1030, n, k);
        }
}

/* Products that dgemm gets in pieces: of all dimensions, or of one. */
TEST(Products, AreRightInPieces)
{
    check_plain(150, 133, 170);
    check_plain(257, 255, 129);
    check_plain(1100, 31, 33);
    check_plain(31, 1100, 33);
}

TEST(Products, InPiecesReplaceWhatTheyAreNotAddedTo)
{
    const Matrix A = random_matrix(150, 300, 47), B = random_matrix(300, 33, 48);
    const Matrix C = random_matrix(150, 33, 49), AB = A * B;
    for (double beta : {0.0, 1.0}) {
        Matrix result = product_on_tiles(
            [&](tile a, tile b, tile c) { dgemm_in_pieces(1.0, a, NO_TRANSPOSE, b, beta, c); }, A,
            Part::all, B, C);
        expect_close(result, beta == 0.0 ? AB : C - negative(AB));
    }
}
