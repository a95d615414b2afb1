/* SPDX-License-Identifier: BSD-3-Clause
 * The products without packing, of all shapes, against plain loops. */
#include "tests/support.h"

extern "C" {
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
    struct tile ta = a.tile(), tb = b.tile(), tc = c.tile();
    product(ta.a, ta.ld, tb.a, tb.ld, tc.a, tc.ld);
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
    for (product mode : {PRODUCT_ASSIGN, PRODUCT_ADD}) {
        if (mode == PRODUCT_ADD && s == SHAPE_UNIT_LOWER)
            continue;
        Matrix result = product_on_tiles(
            [&](const double *a, size_t lda, const double *b, size_t ldb, double *c, size_t ldc) {
                product_transposed(mode, s, m, n, k, a, lda, b, ldb, c, ldc);
            },
            A, part, B, C);
        expect_close(result, mode == PRODUCT_ASSIGN ? AB : C - negative(AB));
    }
}

static void check_plain(size_t m, size_t n, size_t k, shape s)
{
    SCOPED_TRACE(describe({{"m", m}, {"n", n}, {"k", k}, {"shape", s}}));
    const Part part = s == SHAPE_UNIT_LOWER ? Part::unit_lower : Part::all;
    const Matrix whole = random_matrix(m, k, 44), B = random_matrix(k, n, 45);
    const Matrix A = part_of(whole, s == SHAPE_UPPER ? Part::upper : part);
    const Matrix C = random_matrix(m, n, 46), AB = A * B;
    for (product mode : {PRODUCT_ASSIGN, PRODUCT_SUBTRACT}) {
        if (mode == PRODUCT_ASSIGN && s == SHAPE_UNIT_LOWER)
            continue;
        Matrix result = product_on_tiles(
            [&](const double *a, size_t lda, const double *b, size_t ldb, double *c, size_t ldc) {
                product_plain(mode, s, m, n, k, a, lda, b, ldb, c, ldc);
            },
            A, part, B, C);
        expect_close(result, mode == PRODUCT_ASSIGN ? AB : C - AB);
    }
}

static const size_t product_sizes[] = {1, 2, 3, 7, 8, 9, 23, 25, 50};

TEST(Products, AreThoseOfTheirFactors)
{
    for (size_t m : product_sizes)
        for (size_t n : product_sizes)
            for (size_t k : product_sizes) {
                check_transposed(m, n, k, SHAPE_GENERAL);
                check_plain(m, n, k, SHAPE_GENERAL);
            }
}

/* Of a unit lower triangle nothing is read but what is below its diagonal. */
TEST(Products, KnowTheZerosOfTriangles)
{
    for (size_t n : Sizes{1, 3, 8, 11})
        for (size_t k : product_sizes) {
            check_transposed(k, n, k, SHAPE_UPPER);
            check_plain(k, n, k, SHAPE_UPPER);
            for (size_t below : Sizes{0, 1, 5, 8, 30}) {
                check_transposed(k, n, k + below, SHAPE_UNIT_LOWER);
                check_plain(k + below, n, k, SHAPE_UNIT_LOWER);
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
            check_plain(250, n, k, SHAPE_GENERAL);
            check_transposed(k, n, k, SHAPE_UPPER);
            check_transposed(k, n, k + 3, SHAPE_UNIT_LOWER);
            check_plain(k + 3, n, k, SHAPE_UNIT_LOWER);
            check_plain(1030, n, k, SHAPE_UNIT_LOWER);
        }
}
