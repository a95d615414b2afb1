/* SPDX-License-Identifier: BSD-3-Clause
 * Plain loops throughout: the tests' own arithmetic shares nothing with what it checks. */
#include "tests/support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

static double guard()
{
    const uint64_t bits = UINT64_C(0x7ff8dead0000beef);
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

bool same_bits(double a, double b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

std::string describe(std::initializer_list<std::pair<const char *, size_t>> parameters)
{
    std::string text;
    for (const auto &[name, value] : parameters)
        text += std::string(text.empty() ? "" : " ") + name + "=" + std::to_string(value);
    return text;
}

/* ---- matrices ---- */

Matrix input_matrix(input_kind kind, size_t m, size_t n, uint64_t seed)
{
    const input source = {kind, m, n, seed, nullptr};
    Matrix A(m, n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++)
            A(i, j) = input_element(&source, i, j);
    return A;
}

Matrix random_matrix(size_t m, size_t n, uint64_t seed)
{
    return input_matrix(INPUT_UNIFORM, m, n, seed);
}

Matrix identity(size_t n)
{
    Matrix A(n, n);
    for (size_t i = 0; i < n; i++)
        A(i, i) = 1.0;
    return A;
}

Matrix transposed(const Matrix &A)
{
    Matrix T(A.cols, A.rows);
    for (size_t j = 0; j < A.cols; j++)
        for (size_t i = 0; i < A.rows; i++)
            T(j, i) = A(i, j);
    return T;
}

Matrix operator*(const Matrix &A, const Matrix &B)
{
    Matrix C(A.rows, B.cols);
    for (size_t j = 0; j < B.cols; j++)
        for (size_t k = 0; k < A.cols; k++)
            for (size_t i = 0; i < A.rows; i++)
                C(i, j) += A(i, k) * B(k, j);
    return C;
}

Matrix operator-(const Matrix &A, const Matrix &B)
{
    Matrix C = A;
    for (size_t i = 0; i < C.a.size(); i++)
        C.a[i] -= B.a[i];
    return C;
}

static bool belongs(Part part, size_t i, size_t j)
{
    switch (part) {
    case Part::lower:
        return i >= j;
    case Part::unit_lower:
        return i > j;
    case Part::upper:
        return i <= j;
    case Part::all:
        break;
    }
    return true;
}

Matrix part_of(const Matrix &A, Part part, size_t m, size_t n)
{
    Matrix B(m, n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            if (belongs(part, i, j))
                B(i, j) = A(i, j);
            if (part == Part::unit_lower && i == j)
                B(i, j) = 1.0;
        }
    return B;
}

Matrix part_of(const Matrix &A, Part part)
{
    return part_of(A, part, A.rows, A.cols);
}

Matrix stacked(const Matrix &A, const Matrix &B)
{
    Matrix C(A.rows + B.rows, A.cols);
    for (size_t j = 0; j < C.cols; j++)
        for (size_t i = 0; i < C.rows; i++)
            C(i, j) = i < A.rows ? A(i, j) : B(i - A.rows, j);
    return C;
}

double largest(const Matrix &A)
{
    double most = 0.0;
    for (double value : A.a) {
        if (std::isnan(value))
            return value;
        most = std::max(most, std::fabs(value));
    }
    return most;
}

void expect_close(const Matrix &A, const Matrix &B, double tolerance)
{
    ASSERT_EQ(A.rows, B.rows);
    ASSERT_EQ(A.cols, B.cols);
    EXPECT_LE(largest(A - B), tolerance * std::max(1.0, largest(B)));
}

/* ---- guarded tiles ---- */

GuardedTile::GuardedTile(const Matrix &values, Part part, size_t padding)
    : rows_(values.rows), cols_(values.cols), ld_(values.rows + padding), part_(part),
      memory_((cols_ + 2) * ld_, guard())
{
    for (size_t j = 0; j < cols_; j++)
        for (size_t i = 0; i < rows_; i++)
            if (belongs(part, i, j))
                memory_[i + (j + 1) * ld_] = values(i, j);
    before_ = memory_;
}

struct tile GuardedTile::tile()
{
    double *first = memory_.data() + ld_;
    return {first, rows_, cols_, ld_, first};
}

Matrix GuardedTile::values() const
{
    Matrix A(rows_, cols_);
    for (size_t j = 0; j < cols_; j++)
        for (size_t i = 0; i < rows_; i++)
            A(i, j) = memory_[i + (j + 1) * ld_];
    return A;
}

bool GuardedTile::is_guard(size_t index) const
{
    size_t i = index % ld_, j = index / ld_;
    return i >= rows_ || j == 0 || j > cols_ || !belongs(part_, i, j - 1);
}

bool GuardedTile::intact() const
{
    for (size_t index = 0; index < memory_.size(); index++)
        if (is_guard(index) && !same_bits(memory_[index], guard()))
            return false;
    return true;
}

bool GuardedTile::untouched() const
{
    return std::equal(memory_.begin(), memory_.end(), before_.begin(), same_bits);
}

/* ---- the project's own objects ---- */

Execution make_execution(size_t threads, size_t doubles)
{
    return {execution_create(threads, doubles), execution_destroy};
}

int64_t failure_of(const execution *x)
{
    return x->failure.load();
}

TileMatrix make_tile_matrix(size_t m, size_t n, size_t nb)
{
    return {tile_matrix_create(m, n, nb, nb, nullptr), tile_matrix_destroy};
}

TileMatrix to_tiles(const Matrix &A, size_t nb)
{
    TileMatrix tiles = make_tile_matrix(A.rows, A.cols, nb);
    for (size_t j = 0; j < A.cols; j++)
        for (size_t i = 0; i < A.rows; i++)
            *tile_matrix_element(tiles.get(), i, j) = A(i, j);
    return tiles;
}

Matrix to_matrix(const tile_matrix *A)
{
    Matrix B(A->m, A->n);
    for (size_t j = 0; j < B.cols; j++)
        for (size_t i = 0; i < B.rows; i++)
            B(i, j) = *tile_matrix_element(A, i, j);
    return B;
}

kernel kernel_named(const char *name)
{
    kernel named = {};
    named.name = name;
    return named;
}

/* ---- runs ---- */

std::string Subject::name() const
{
    return std::string(benchmark->name) + " " + variant->name;
}

bool Subject::pivots() const
{
    return std::string(benchmark_algorithm(benchmark)) == "lu" && variant->input == INPUT_UNIFORM;
}

std::vector<const struct benchmark *> factorizations()
{
    std::vector<const struct benchmark *> found;
    for (const struct benchmark *benchmark : all_benchmarks())
        if (benchmark->multiply)
            found.push_back(benchmark);
    return found;
}

std::vector<const struct benchmark *> all_benchmarks()
{
    std::vector<const struct benchmark *> all;
    for (size_t b = 0; benchmarks[b]; b++)
        all.push_back(benchmarks[b]);
    return all;
}

std::vector<Subject> subjects(const std::vector<const struct benchmark *> &chosen)
{
    std::vector<Subject> all;
    for (const struct benchmark *b : chosen)
        for (size_t v = 0; v < b->variant_count; v++)
            if (b->variants[v].submit)
                all.push_back({b, &b->variants[v]});
    return all;
}

Subject subject_named(const std::string &name)
{
    for (const Subject &subject : subjects())
        if (subject.name() == name)
            return subject;
    throw std::invalid_argument(name);
}

void PrintTo(const Subject &subject, std::ostream *stream)
{
    *stream << subject.name();
}

std::string subject_name(const testing::TestParamInfo<Subject> &info)
{
    std::string name = info.param.name();
    std::replace_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    return name;
}

/* Those of which the standard ones are for measurements. */
static Sizes small_parameters(const struct benchmark *benchmark)
{
    if (benchmark == &cell_tree)
        return {2, 3, 2, 2};
    if (benchmark == &batched_fft)
        return {8, 2};
    return {};
}

Trial::Trial(const Subject &subject, const Shape &shape) : configuration_()
{
    configuration_.benchmark = subject.benchmark;
    configuration_.variant = subject.variant;
    configuration_.m = shape.m;
    configuration_.n = shape.n;
    configuration_.mb = shape.height * shape.nb;
    configuration_.nb = shape.nb;
    configuration_.ib = subject.benchmark->inner_block ? std::min(shape.ib, shape.nb) : 0;
    configuration_.kernels = static_cast<kernel_set>(__builtin_ctz(subject.benchmark->kernel_sets));
    configuration_.threads = shape.threads;
    parameters_standard(subject.benchmark, configuration_.parameters);
    const Sizes small = small_parameters(subject.benchmark);
    std::copy(small.begin(), small.end(), configuration_.parameters);
    std::copy(shape.parameters.begin(), shape.parameters.end(), configuration_.parameters);
    problem_ = run_create(&configuration_);
}

Trial::~Trial()
{
    run_destroy(&configuration_, problem_);
}

struct outcome Trial::once(uint64_t seed, check check)
{
    return run_once(&configuration_, problem_, seed, check, nullptr, nullptr);
}

void Trial::generate(uint64_t seed)
{
    run_generate(&configuration_, problem_, seed);
}

void Trial::submit()
{
    configuration_.variant->submit(problem_);
}

struct verification Trial::verify(check check)
{
    verification result;
    EXPECT_TRUE(::verify(configuration_.benchmark, problem_, check, &result));
    return result;
}

Matrix Trial::factors() const
{
    return to_matrix(problem_->A);
}

std::vector<int> Trial::lu_pivots() const
{
    const auto *factors = static_cast<const lu_factors *>(problem_->factors);
    return {factors->pivots, factors->pivots + std::min(problem_->m, problem_->n)};
}

bool allows(const Subject &subject, size_t m, size_t n)
{
    return m == n || subject.benchmark->rectangular;
}
