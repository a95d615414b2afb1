/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix Market files: what is read, and what is refused. */
#include <cmath>
#include <string>
#include <vector>

#include "tests/files.h"
#include "tests/support.h"

class MatrixMarket : public Files {
  protected:
    /* The elements of a file "%%MatrixMarket matrix KIND" with these lines, row by row. */
    std::vector<double> read(const std::string &kind, const std::string &lines, size_t m, size_t n)
    {
        dense_matrix matrix =
            matrix_market_read(write("%%MatrixMarket matrix " + kind + "\n" + lines).c_str());
        EXPECT_EQ(matrix.m, m);
        EXPECT_EQ(matrix.n, n);
        symmetric = dense_matrix_is_symmetric(&matrix);
        std::vector<double> rows;
        for (size_t i = 0; i < matrix.m; i++)
            for (size_t j = 0; j < matrix.n; j++)
                rows.push_back(matrix.elements[i + j * matrix.m]);
        matrix_market_free(&matrix);
        EXPECT_EQ(matrix.elements, nullptr);
        return rows;
    }
    void expect_refused(const std::string &text, const char *why)
    {
        SCOPED_TRACE(text);
        const std::string path = write(text);
        EXPECT_EXIT(matrix_market_read(path.c_str()), testing::ExitedWithCode(POLLUX_USAGE),
                    "^[^\n]*" + path + "[^\n]*" + why + "[^\n]*\n$");
    }
    using Row = std::vector<double>;
    bool symmetric = false;
};

/* GoogleTest runs these before all others, while the process has one thread. */
using MatrixMarketDeathTest = MatrixMarket;

TEST_F(MatrixMarket, ReadsCoordinateGeneral)
{
    EXPECT_EQ(
        read("coordinate real general", "% a comment\n2 3 3\n1 1 1.5\n2 3 -2\n1 2 3e2\n", 2, 3),
        (Row{1.5, 300, 0, 0, 0, -2}));
    EXPECT_FALSE(symmetric);
}

TEST_F(MatrixMarket, ReadsCoordinateSymmetric)
{
    EXPECT_EQ(read("coordinate real symmetric", "3 3 4\n1 1 1\n2 1 2\n3 3 4\n3 1 5\n", 3, 3),
              (Row{1, 2, 5, 2, 0, 0, 5, 0, 4}));
    EXPECT_TRUE(symmetric);
}

TEST_F(MatrixMarket, ReadsCoordinateSkewSymmetric)
{
    EXPECT_EQ(read("coordinate real skew-symmetric", "3 3 2\n2 1 2\n3 2 7\n", 3, 3),
              (Row{0, -2, 0, 2, 0, -7, 0, 7, 0}));
    EXPECT_FALSE(symmetric);
}

TEST_F(MatrixMarket, ReadsPatternsAsOnes)
{
    EXPECT_EQ(read("coordinate pattern general", "2 2 3\n1 1\n2 1\n2 2\n", 2, 2),
              (Row{1, 0, 1, 1}));
    EXPECT_EQ(read("coordinate pattern symmetric", "2 2 2\n1 1\n2 1\n", 2, 2), (Row{1, 1, 1, 0}));
}

TEST_F(MatrixMarket, ReadsIntegers)
{
    EXPECT_EQ(read("coordinate integer general", "2 2 2\n1 1 5\n2 1 -6\n", 2, 2),
              (Row{5, 0, -6, 0}));
}

TEST_F(MatrixMarket, ReadsArraysColumnByColumn)
{
    EXPECT_EQ(read("array real general", "2 3\n1\n2\n3\n4\n5\n6\n", 2, 3), (Row{1, 3, 5, 2, 4, 6}));
}

TEST_F(MatrixMarket, ReadsSymmetricArrays)
{
    EXPECT_EQ(read("array real symmetric", "2 2\n1\n2\n3\n", 2, 2), (Row{1, 2, 2, 3}));
    EXPECT_TRUE(symmetric);
}

TEST_F(MatrixMarket, KeepsValuesThatAreNotFinite)
{
    const Row row = read("coordinate real general", "1 2 2\n1 1 nan\n1 2 inf\n", 1, 2);
    EXPECT_TRUE(std::isnan(row[0]));
    EXPECT_TRUE(std::isinf(row[1]));
}

TEST_F(MatrixMarketDeathTest, RefusesBadFilesInOneLine)
{
    const std::string banner = "%%MatrixMarket matrix ";
    const char *const no_matrix = "is not a Matrix Market file";
    expect_refused("", no_matrix);
    expect_refused("nothing of the kind\n", no_matrix);
    expect_refused(banner + "coordinate real general\n2 2 1\n5 5 1\n", no_matrix);
    expect_refused(banner + "coordinate real general\n2 2 3\n1 1 1\n", no_matrix);
    expect_refused(banner + "array real general\n2 2\n1\n2\n", no_matrix);
    expect_refused(banner + "coordinate complex general\n1 1 1\n1 1 1 2\n", "real");
}

TEST_F(MatrixMarketDeathTest, RefusesFilesThatAreNotThere)
{
    const std::string path = (folder / "none").string();
    EXPECT_EXIT(matrix_market_read(path.c_str()), testing::ExitedWithCode(POLLUX_USAGE),
                "cannot open [^\n]*none[^\n]*\n$");
}

TEST(Symmetry, NeedsASquareAndEveryPairAlike)
{
    double values[] = {1, 2, 3, 2, 5, 6, 3, 6, 9};
    const dense_matrix square = {3, 3, values}, tall = {9, 1, values};
    EXPECT_TRUE(dense_matrix_is_symmetric(&square));
    EXPECT_FALSE(dense_matrix_is_symmetric(&tall));
    values[7] = std::nextafter(6.0, 7.0);
    EXPECT_FALSE(dense_matrix_is_symmetric(&square));
}
