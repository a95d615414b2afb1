/* SPDX-License-Identifier: BSD-3-Clause
 * What the tests share: dense matrices, tiles inside guarded memory, and runs of a variant. */
#ifndef POLLUX_TESTS_SUPPORT_H
#define POLLUX_TESTS_SUPPORT_H

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/pollux.h"

/** Numbers to loop over. */
using Sizes = std::vector<size_t>;

/** "NAME=VALUE NAME=VALUE": describes the case of a failed expectation. */
std::string describe(std::initializer_list<std::pair<const char *, size_t>> parameters);

/** True if both have the same bit pattern, NaNs included. */
bool same_bits(double a, double b);

/** A dense column-major matrix without padding. */
struct Matrix {
    size_t rows, cols;
    std::vector<double> a;

    Matrix(size_t m, size_t n) : rows(m), cols(n), a(m * n)
    {
    }
    double &operator()(size_t i, size_t j)
    {
        return a[i + j * rows];
    }
    double operator()(size_t i, size_t j) const
    {
        return a[i + j * rows];
    }
};

enum class Part { all, lower, unit_lower, upper };

Matrix random_matrix(size_t m, size_t n, uint64_t seed);
Matrix input_matrix(input_kind kind, size_t m, size_t n, uint64_t seed);
Matrix identity(size_t n);
Matrix transposed(const Matrix &A);
Matrix operator*(const Matrix &A, const Matrix &B);
Matrix operator-(const Matrix &A, const Matrix &B);

/** The m × n matrix that holds that trapezoid of A, and zeros. */
Matrix part_of(const Matrix &A, Part part, size_t m, size_t n);
Matrix part_of(const Matrix &A, Part part);

/** B under A. */
Matrix stacked(const Matrix &A, const Matrix &B);

/** Largest absolute value; NaN if there is one. */
double largest(const Matrix &A);

/** Expects |A - B| to be rounding errors of numbers as large as B's (at least 1). */
void expect_close(const Matrix &A, const Matrix &B, double tolerance = 1e-12);

/** A tile with padding below, before and after it. Padding is NaNs of one bit pattern: a kernel that
 * reads it corrupts its result, and `intact` detects one that writes it. */
class GuardedTile {
  public:
    GuardedTile(const Matrix &values, Part part = Part::all, size_t padding = 3);
    struct tile tile();
    /** The elements, guards as they are. */
    Matrix values() const;
    /** True if every guard is as it was: what is around the tile, and what `part` leaves out. */
    bool intact() const;
    /** True if the elements too are as they were. */
    bool untouched() const;

  private:
    bool is_guard(size_t index) const;
    size_t rows_, cols_, ld_;
    Part part_;
    std::vector<double> memory_, before_;
};

using Execution = std::unique_ptr<execution, decltype(&execution_destroy)>;
Execution make_execution(size_t threads = 1, size_t doubles = 0);

/** Column of the first failure, or 0. */
int64_t failure_of(const execution *x);

using TileMatrix = std::unique_ptr<tile_matrix, decltype(&tile_matrix_destroy)>;
TileMatrix make_tile_matrix(size_t m, size_t n, size_t nb);
TileMatrix to_tiles(const Matrix &A, size_t nb);
Matrix to_matrix(const tile_matrix *A);

/** A kernel that states nothing but its name. */
kernel kernel_named(const char *name);

/** A variant of a benchmark. */
struct Subject {
    const struct benchmark *benchmark;
    const struct variant *variant;

    std::string name() const;
    bool pivots() const;
};

/** Every benchmark of the build. */
std::vector<const struct benchmark *> all_benchmarks();

/** Those that factor a dense matrix, which the driver makes and verifies. */
std::vector<const struct benchmark *> factorizations();

/** Every variant of these benchmarks that this build can run. */
std::vector<Subject>
subjects(const std::vector<const struct benchmark *> &benchmarks = all_benchmarks());

/** The one of that name, such as "lu depend". */
Subject subject_named(const std::string &name);

/** For GoogleTest's output. */
void PrintTo(const Subject &subject, std::ostream *stream);

/** Name of a parameterized test. */
std::string subject_name(const testing::TestParamInfo<Subject> &info);

/** A configuration with everything reserved; `once` runs it. */
class Trial {
  public:
    struct Shape {
        size_t m, n, nb, ib, threads;
        size_t height = 1;     /**< rows of a tile, in multiples of nb */
        Sizes parameters = {}; /**< the benchmark's; none: the standard ones, or small ones */
    };
    Trial(const Subject &subject, const Shape &shape);
    ~Trial();
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;

    struct outcome once(uint64_t seed = 7, check check = CHECK_NONE);
    /** The input alone. */
    void generate(uint64_t seed = 7);
    /** The task graph alone, on what is there and one thread. */
    void submit();
    struct verification verify(check check);
    Matrix factors() const;
    std::vector<int> lu_pivots() const;
    struct problem *problem() const
    {
        return problem_;
    }

  private:
    configuration configuration_;
    struct problem *problem_;
};

/** m × n, with m = n where the benchmark needs it. */
bool allows(const Subject &subject, size_t m, size_t n);

#endif
