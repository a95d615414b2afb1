/* SPDX-License-Identifier: BSD-3-Clause
 * Operation counts of the factorizations. */
#include "tests/support.h"

/* Multiplications, additions, divisions and roots of the textbook's loops. */
static double count_cholesky(size_t n)
{
    double count = 0.0;
    for (size_t k = 0; k < n; k++) {
        count += 1.0 + static_cast<double>(n - k - 1);
        for (size_t j = k + 1; j < n; j++)
            count += 2.0 * static_cast<double>(n - j);
    }
    return count;
}

/* The reciprocal of each pivot counts as one. */
static double count_lu(size_t m, size_t n)
{
    double count = 0.0;
    for (size_t k = 0; k < n; k++) {
        const double below = static_cast<double>(m - k - 1), right = static_cast<double>(n - k - 1);
        count += 1.0 + below + 2.0 * below * right;
    }
    return count;
}

TEST(Flops, AreThoseOfTheLoops)
{
    for (size_t n = 1; n <= 20; n++) {
        const double order = static_cast<double>(n);
        EXPECT_NEAR(flops_potrf(order, order), count_cholesky(n), 1e-9) << n;
        for (size_t m = n; m <= 25; m++)
            EXPECT_NEAR(flops_getrf(static_cast<double>(m), order), count_lu(m, n), 1e-9)
                << m << " " << n;
    }
}

/* The polynomials of LAPACK Working Note 41, appendix C, by hand. */
TEST(Flops, AreTheWorkingNotesForSmallMatrices)
{
    EXPECT_NEAR(flops_potrf(2, 2), 5, 1e-12);
    EXPECT_NEAR(flops_getrf(2, 2), 5, 1e-12);
    EXPECT_NEAR(flops_geqrf(1, 1), 8, 1e-12);
    EXPECT_NEAR(flops_geqrf(2, 2), 28, 1e-12);
    EXPECT_NEAR(flops_geqrf(2, 1), 11, 1e-12);
    EXPECT_NEAR(flops_geqrf(1, 2), 13, 1e-12);
}

TEST(Flops, GrowWithTheKnownLeadingTerms)
{
    const double n = 1e6, cube = n * n * n;
    EXPECT_NEAR(flops_potrf(n, n) / cube, 1.0 / 3, 1e-5);
    EXPECT_NEAR(flops_getrf(n, n) / cube, 2.0 / 3, 1e-5);
    EXPECT_NEAR(flops_geqrf(n, n) / cube, 4.0 / 3, 1e-5);
    /* 3n × n: m n² - n³/3, and twice as much for QR. */
    EXPECT_NEAR(flops_getrf(3 * n, n) / cube, 3 - 1.0 / 3, 1e-5);
    EXPECT_NEAR(flops_getrf(n, 3 * n) / cube, 3 - 1.0 / 3, 1e-5);
    EXPECT_NEAR(flops_geqrf(3 * n, n) / cube, 6 - 2.0 / 3, 1e-5);
    EXPECT_NEAR(flops_geqrf(n, 3 * n) / cube, 6 - 2.0 / 3, 1e-5);
}
