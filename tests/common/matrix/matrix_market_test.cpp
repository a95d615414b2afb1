/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix Market files: what is read, and what is refused. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/files.h"
#include "tests/support.h"

extern "C" {
#include "common/matrix/text_file.h"
}

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
    /* A file with this text that is never on a disk; replaces the one before. */
    std::string in_memory(const std::string &text)
    {
        if (memory < 0)
            memory = memfd_create("matrix", 0);
        EXPECT_EQ(ftruncate(memory, 0), 0);
        EXPECT_EQ(pwrite(memory, text.data(), text.size(), 0), (ssize_t)text.size());
        return "/proc/self/fd/" + std::to_string(memory);
    }
    void TearDown() override
    {
        if (memory >= 0)
            close(memory);
        Files::TearDown();
    }
    /* Writes a matrix with all its digits, reads that, and expects the same. */
    void expect_read_again(const dense_matrix &matrix)
    {
        const size_t elements = matrix.m * matrix.n;
        if (elements > 1000)
            return;
        std::ostringstream text;
        text.precision(17);
        text << "%%MatrixMarket matrix array real general\n" << matrix.m << " " << matrix.n << "\n";
        for (size_t i = 0; i < elements; i++)
            text << matrix.elements[i] << "\n";
        dense_matrix again = matrix_market_read(in_memory(text.str()).c_str());
        for (size_t i = 0; i < elements; i++)
            if (!std::isnan(matrix.elements[i])) {
                EXPECT_EQ(again.elements[i], matrix.elements[i]);
            }
        matrix_market_free(&again);
    }
    using Row = std::vector<double>;
    bool symmetric = false;
    int memory = -1;
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

TEST_F(MatrixMarket, ReadsNumbersWhole)
{
    EXPECT_EQ(read("array real general", "3 2\n1.0D+05\n1.5-101\n-.5e1\n+2.\n1d-2\n3Q0\n", 3, 2),
              (Row{1e5, 2, 1.5e-101, 1e-2, -5, 3}));
    EXPECT_EQ(
        read("coordinate real general", "1 2 2\r\n\r\n1 1 1e0\r\n% twice\r\n 1\t1 2 \r\n", 1, 2),
        (Row{3, 0}));
    EXPECT_EQ(read("array real general", "3 1\n1e-310\n0e-400\n-0\n", 3, 1), (Row{1e-310, 0, 0}));
    EXPECT_EQ(read("coordinate integer general", "1 1 1\n1 1 -9007199254740994", 1, 1),
              (Row{-9007199254740994.0}));
}

TEST_F(MatrixMarket, ReadsEitherTriangle)
{
    EXPECT_EQ(read("coordinate real symmetric", "2 2 2\n1 1 3\n1 2 4\n", 2, 2), (Row{3, 4, 4, 0}));
    EXPECT_EQ(read("array real skew-symmetric", "3 3\n1\n2\n3\n", 3, 3),
              (Row{0, -1, -2, 1, 0, -3, 2, 3, 0}));
}

/* A file after "%%MatrixMarket matrix ", and what is said of it after its path. */
struct Refused {
    const char *text, *why;
};

static const Refused refused_files[] = {
    {"array real general\n1 1\n4,5\n", ", line 3, column 1: '4,5' is not a number"},
    {"array real general\n1 1\n 0x10\n", ", line 3, column 2: '0x10' is not a number"},
    {"array real general\n1 1\n1.0D\n", ", line 3, column 1: '1.0D' is not a number"},
    {"array real general\n1 1\n.\n", ", line 3, column 1: '.' is not a number"},
    {"array real general\n1 1\n1e999\n",
     ", line 3, column 1: '1e999' is beyond the range of double precision"},
    {"array real general\n1 1\n-1e-400\n",
     ", line 3, column 1: '-1e-400' is beyond the range of double precision"},
    {"array real general\n1 1\n1 2\n",
     ", line 3, column 3: '2' is one word too many for this line"},
    {"array real general\n1 1\n1\n\n% more\n2\n",
     ", line 6: more than the 1 entries that line 2 announces"},
    {"array real general\n2 2\n1\n2\n", " ends after 2 of 4 entries"},
    {"array real general\n", " ends before the line with its size"},
    {"array real general\n1\n", ", line 2, column 2: the number of columns is missing"},
    {"array real\n", ", line 1, column 33: a word is missing here"},
    {"coordinate real general\n2 2 1\n1", ", line 3, column 2: a word is missing here"},
    {"array pattern general\n1 1\n", ", line 1, column 29: 'pattern' needs the form coordinate"},
    {"array real symmetric\n1 2\n",
     ", line 2: a symmetric matrix is square, and this one is 1 x 2"},
    {"array real general\n0 3\n", " is empty: at least one row and column are needed"},
    {"coordinate integer general\n1 1 1\n1 1 1.5\n", ", line 3, column 5: '1.5' is not an integer"},
    {"coordinate integer general\n1 1 1\n1 1 9007199254740993\n",
     ", line 3, column 5: '9007199254740993' cannot be represented exactly in double precision"},
    {"coordinate real general\n2 2 1\n5 2 1\n", ", line 3, column 1: '5' is not a row from 1 to 2"},
    {"coordinate real general\n2 2 1\n2 0 1\n",
     ", line 3, column 3: '0' is not a column from 1 to 2"},
    {"coordinate real general\n2 2 1\n1 1\n", ", line 3, column 4: a value is missing"},
    {"coordinate real general\n2 2 3\n1 1 1\n", " ends after 1 of 3 entries"},
    {"coordinate real general\n2 2 99999999999999999999\n",
     ", line 2, column 5: '99999999999999999999' entries are too many: at most 2147483647 are "
     "allowed here"},
    {"coordinate real general\n99999999999999999999 2 1\n",
     ", line 2, column 1: '99999999999999999999' rows are too many: at most 2147483647 are "
     "allowed "
     "here"},
    {"coordinate real general\n2 4294967297 1\n",
     ", line 2, column 3: '4294967297' columns are too many: at most 2147483647 are allowed here"},
    {"coordinate real general\n2 -2 1\n", ", line 2, column 3: '-2' is not a number of columns"},
    {"coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n",
     ", line 4, column 1: an entry of the other triangle than those before: a symmetric matrix "
     "lists "
     "one"},
    {"coordinate real skew-symmetric\n2 2 1\n2 2 1\n",
     ", line 3, column 1: the diagonal of a skew-symmetric matrix is zero"},
    {"coordinate complex general\n1 1 1\n1 1 1 2\n",
     ", line 1, column 34: 'complex' numbers are not supported: a real matrix is needed"},
    {"lists real general\n",
     ", line 1, column 23: 'lists' is unknown: coordinate and array are possible"},
    {"array real general\n1 1\n\x1b[31m\x07\n", ", line 3, column 1: '?[31m?' is not a number"},
};

TEST_F(MatrixMarket, RefusesBadFilesAndNamesThePlace)
{
    for (const Refused &file : refused_files) {
        const std::string path = write(std::string("%%MatrixMarket matrix ") + file.text);
        dense_matrix matrix;
        refusal refusal;
        EXPECT_FALSE(matrix_market_parse(path.c_str(), &matrix, &refusal)) << file.text;
        EXPECT_EQ(refusal.text, path + file.why);
        EXPECT_EQ(refusal.status, POLLUX_USAGE);
        EXPECT_EQ(matrix.elements, nullptr);
    }
}

TEST_F(MatrixMarket, RefusesWhatNeverEnds)
{
    const std::string banner = "%%MatrixMarket matrix array real general\n";
    for (const std::string &text : {banner + std::string(2000, ' ') + "1 1\n1\n",
                                    banner + std::string(1000001, '\n') + "1 1\n1\n"}) {
        dense_matrix matrix;
        refusal refusal;
        EXPECT_FALSE(matrix_market_parse(write(text).c_str(), &matrix, &refusal));
        EXPECT_NE(std::string(refusal.text).find("more than 10"), std::string::npos)
            << refusal.text;
    }
}

/* Any change of a file is refused in one line, or gives a matrix that can be written and read
 * again. */
TEST_F(MatrixMarket, SurvivesMutations)
{
    const std::string files[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n% text\n3 3 4\n1 1 1.5e0\n2 1 -2\n"
        "3 3 4D+2\n3 1 5\n",
        "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n"};
    const std::string pieces[] = {"9",   "99999999999999999999",
                                  "-",   ".",
                                  "e",   "\n",
                                  " ",   "%",
                                  ",",   std::string(1, '\0'),
                                  "nan", "\xff",
                                  "1",   std::string(1100, '7')};
    std::mt19937 random(7);
    int refusals = 0;
    for (int trial = 0; trial < 3000; trial++) {
        std::string text = files[trial % 2];
        for (unsigned changes = 1 + random() % 2; changes > 0; changes--) {
            const std::string &piece = pieces[random() % std::size(pieces)];
            text.replace(random() % text.size(), random() % 3, piece);
        }
        const std::string path = in_memory(text);
        dense_matrix matrix;
        refusal refusal;
        if (!matrix_market_parse(path.c_str(), &matrix, &refusal)) {
            const std::string why = refusal.text;
            EXPECT_NE(why.find(path), std::string::npos) << why;
            EXPECT_EQ(why.find('\n'), std::string::npos) << why;
            refusals++;
            continue;
        }
        expect_read_again(matrix);
        matrix_market_free(&matrix);
    }
    EXPECT_GT(refusals, 1000);
    EXPECT_LT(refusals, 2900);
}

TEST_F(MatrixMarket, RefusesDevicesAndPipesThatFallSilent)
{
    refusal refusal;
    auto file = std::make_unique<text_file>();
    for (const char *path : {"/dev/zero", "/dev/null"}) {
        EXPECT_FALSE(text_file_open(file.get(), path, 1, &refusal));
        EXPECT_EQ(refusal.text, "cannot read " + std::string(path) +
                                    ": it is a device, a file or a pipe is needed");
    }
    const std::string pipe = (folder / "pipe").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int writer = open(pipe.c_str(), O_RDWR);
    ASSERT_EQ(::write(writer, "first\nsecond", 12), 12);
    bool found = false;
    ASSERT_TRUE(text_file_open(file.get(), pipe.c_str(), 1, &refusal));
    EXPECT_TRUE(text_file_line(file.get(), &found, &refusal));
    EXPECT_STREQ(file->text, "first");
    EXPECT_FALSE(text_file_line(file.get(), &found, &refusal));
    EXPECT_EQ(refusal.text, pipe + ", after line 1: nothing came for 0.001 s");
    close(writer);
    EXPECT_TRUE(text_file_line(file.get(), &found, &refusal)) << "the end of the pipe";
    text_file_close(file.get());
}

TEST_F(MatrixMarketDeathTest, EndsTheProgramWithTheReason)
{
    expect_refused("", "is not a Matrix Market file");
    expect_refused("nothing of the kind\n", "first line must begin with %%MatrixMarket");
    expect_refused("%%MatrixMarket matrix array real general\n2 2\n1\n2\n", "ends after 2 of 4");
}

TEST_F(MatrixMarketDeathTest, RefusesFilesThatAreNotThere)
{
    const std::string path = (folder / "none").string();
    EXPECT_EXIT(matrix_market_read(path.c_str()), testing::ExitedWithCode(POLLUX_USAGE),
                "cannot open [^\n]*none[^\n]*\n$");
}

TEST(LargestElement, IsOfMagnitudesAndUnknownWithANaN)
{
    std::vector<double> values = {1, -7, 3, 2, 0, 6};
    const dense_matrix matrix = {3, 2, values.data()};
    EXPECT_EQ(dense_matrix_largest(&matrix), 7.0);
    values[4] = NAN;
    EXPECT_TRUE(std::isnan(dense_matrix_largest(&matrix)));
}

TEST(Symmetry, NeedsASquareAndEveryPairAlike)
{
    std::vector<double> values = {1, 2, 3, 2, 5, 6, 3, 6, 9};
    const dense_matrix square = {3, 3, values.data()}, tall = {9, 1, values.data()};
    EXPECT_TRUE(dense_matrix_is_symmetric(&square));
    EXPECT_FALSE(dense_matrix_is_symmetric(&tall));
    values[7] = std::nextafter(6.0, 7.0);
    EXPECT_FALSE(dense_matrix_is_symmetric(&square));
}
