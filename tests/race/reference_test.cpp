/* SPDX-License-Identifier: BSD-3-Clause
 * The reference routines against OpenBLAS and LAPACKE: the same numbers, the same elements written
 * and, of the others, the same ones read. To see what is read, each element in turn gets another
 * value: which others change depends on the order of operations, but not whether any does. A NaN would
 * not do: versions of OpenBLAS differ in whether they choose one as a pivot. */
#include "tests/race/reference/reference.h"

#include <cblas.h>
#include <complex>
#define LAPACK_COMPLEX_CPP
#include <lapacke.h>

#include <algorithm>
#include <functional>

#include "tests/support.h"

namespace {

using Operands = std::vector<Matrix>;
using Routine = std::function<void(Operands &)>;

struct Case {
    std::string name;
    Operands operands;
    Routine reference, library;
};

void PrintTo(const Case &c, std::ostream *stream)
{
    *stream << c.name;
}

int extent(size_t value)
{
    return static_cast<int>(value);
}

int rows(const Matrix &A)
{
    return extent(A.rows);
}

Matrix triangular(size_t n, uint64_t seed)
{
    return input_matrix(INPUT_DOMINANT, n, n, seed);
}

/* ---- BLAS ---- */

Case gemm(bool transpose_A, bool transpose_B, size_t m, size_t n, size_t k)
{
    Matrix A = transpose_A ? random_matrix(k, m, 1) : random_matrix(m, k, 1);
    Matrix B = transpose_B ? random_matrix(n, k, 2) : random_matrix(k, n, 2);
    return {describe({{"gemm op(A)", transpose_A}, {"op(B)", transpose_B}, {"k", k}}),
            {A, B, random_matrix(m, n, 3)},
            [=](Operands &o) {
                reference_gemm(transpose_A, transpose_B, m, n, k, -1.0, o[0].a.data(), o[0].rows,
                               o[1].a.data(), o[1].rows, o[2].a.data(), m);
            },
            [=](Operands &o) {
                cblas_dgemm(CblasColMajor, transpose_A ? CblasTrans : CblasNoTrans,
                            transpose_B ? CblasTrans : CblasNoTrans, extent(m), extent(n),
                            extent(k), -1.0, o[0].a.data(), rows(o[0]), o[1].a.data(), rows(o[1]),
                            1.0, o[2].a.data(), extent(m));
            }};
}

Case syrk(size_t n, size_t k)
{
    return {describe({{"syrk n", n}, {"k", k}}),
            {random_matrix(n, k, 1), random_matrix(n, n, 2)},
            [=](Operands &o) { reference_syrk(n, k, -1.0, o[0].a.data(), n, o[1].a.data(), n); },
            [=](Operands &o) {
                cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, extent(n), extent(k), -1.0,
                            o[0].a.data(), extent(n), 1.0, o[1].a.data(), extent(n));
            }};
}

Case trmm(triangle part, bool transpose, bool unit, size_t m, size_t n)
{
    return {describe({{"trmm upper", part == TRIANGLE_UPPER}, {"op", transpose}, {"unit", unit}}),
            {triangular(m, 1), random_matrix(m, n, 2)},
            [=](Operands &o) {
                reference_trmm(part, transpose, unit, m, n, o[0].a.data(), m, o[1].a.data(), m);
            },
            [=](Operands &o) {
                cblas_dtrmm(
                    CblasColMajor, CblasLeft, part == TRIANGLE_UPPER ? CblasUpper : CblasLower,
                    transpose ? CblasTrans : CblasNoTrans, unit ? CblasUnit : CblasNonUnit,
                    extent(m), extent(n), 1.0, o[0].a.data(), extent(m), o[1].a.data(), extent(m));
            }};
}

using Solve = void (*)(size_t, size_t, const double *, size_t, double *, size_t);

Case trsm(const std::string &name, Solve solve, CBLAS_SIDE side, CBLAS_UPLO uplo,
          CBLAS_TRANSPOSE op, CBLAS_DIAG diag, size_t m, size_t n)
{
    size_t order = side == CblasLeft ? m : n;
    return {name,
            {triangular(order, 1), random_matrix(m, n, 2)},
            [=](Operands &o) { solve(m, n, o[0].a.data(), order, o[1].a.data(), m); },
            [=](Operands &o) {
                cblas_dtrsm(CblasColMajor, side, uplo, op, diag, extent(m), extent(n), 1.0,
                            o[0].a.data(), extent(order), o[1].a.data(), extent(m));
            }};
}

/* ---- LAPACK ---- */

/* Pivots as a matrix of their own. */
void keep_pivots(const std::vector<int> &pivots, Matrix &kept)
{
    for (size_t i = 0; i < pivots.size(); i++)
        kept(i, 0) = pivots[i];
}

Case getrf(size_t m, size_t n)
{
    size_t k = std::min(m, n);
    return {describe({{"getrf m", m}, {"n", n}}),
            {random_matrix(m, n, 1), Matrix(k, 1)},
            [=](Operands &o) {
                std::vector<int> pivots(k);
                reference_getrf(m, n, o[0].a.data(), m, pivots.data());
                keep_pivots(pivots, o[1]);
            },
            [=](Operands &o) {
                std::vector<int> pivots(k);
                LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, extent(m), extent(n), o[0].a.data(),
                                    extent(m), pivots.data());
                keep_pivots(pivots, o[1]);
            }};
}

Case laswp(size_t m, size_t n, size_t first, size_t last)
{
    const std::vector<int> pivots = {3, 5, 3, 6, 5, 6};
    return {describe({{"laswp first", first}, {"last", last}}),
            {random_matrix(m, n, 1)},
            [=](Operands &o) { reference_laswp(n, o[0].a.data(), m, first, last, pivots.data()); },
            [=](Operands &o) {
                LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, extent(n), o[0].a.data(), extent(m),
                                    extent(first) + 1, extent(last), pivots.data(), 1);
            }};
}

Case tpqrt(size_t m, size_t n, size_t l, size_t ib)
{
    return {describe({{"tpqrt m", m}, {"n", n}, {"l", l}, {"ib", ib}}),
            {random_matrix(n, n, 1), random_matrix(m, n, 2), random_matrix(ib, n, 3)},
            [=](Operands &o) {
                std::vector<double> work(ib * n);
                reference_tpqrt(m, n, l, ib, o[0].a.data(), n, o[1].a.data(), m, o[2].a.data(), ib,
                                work.data());
            },
            [=](Operands &o) {
                std::vector<double> work(ib * n);
                LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, extent(m), extent(n), extent(l), extent(ib),
                                    o[0].a.data(), extent(n), o[1].a.data(), extent(m),
                                    o[2].a.data(), extent(ib), work.data());
            }};
}

Case tpmqrt(bool transpose, size_t m, size_t n, size_t k, size_t l, size_t ib)
{
    return {describe({{"tpmqrt op", transpose}, {"m", m}, {"k", k}, {"l", l}, {"ib", ib}}),
            {random_matrix(m, k, 1), random_matrix(ib, k, 2), random_matrix(k, n, 3),
             random_matrix(m, n, 4)},
            [=](Operands &o) {
                std::vector<double> work(ib * n);
                reference_tpmqrt(transpose, m, n, k, l, ib, o[0].a.data(), m, o[1].a.data(), ib,
                                 o[2].a.data(), k, o[3].a.data(), m, work.data());
            },
            [=](Operands &o) {
                std::vector<double> work(ib * n);
                LAPACKE_dtpmqrt_work(LAPACK_COL_MAJOR, 'L', transpose ? 'T' : 'N', extent(m),
                                     extent(n), extent(k), extent(l), extent(ib), o[0].a.data(),
                                     extent(m), o[1].a.data(), extent(ib), o[2].a.data(), extent(k),
                                     o[3].a.data(), extent(m), work.data());
            }};
}

std::vector<Case> blas_cases()
{
    std::vector<Case> all = {syrk(6, 4), syrk(5, 7)};
    for (bool op_A : {false, true})
        for (bool op_B : {false, true})
            all.push_back(gemm(op_A, op_B, 6, 5, 4));
    for (triangle part : {TRIANGLE_LOWER, TRIANGLE_UPPER})
        for (bool op : {false, true})
            for (bool unit : {false, true})
                all.push_back(trmm(part, op, unit, 6, 5));
    all.push_back(trsm("trsm left unit lower", reference_trsm_left_unit_lower, CblasLeft,
                       CblasLower, CblasNoTrans, CblasUnit, 6, 5));
    all.push_back(trsm("trsm right lower transposed", reference_trsm_right_lower_transposed,
                       CblasRight, CblasLower, CblasTrans, CblasNonUnit, 6, 5));
    all.push_back(trsm("trsm right upper", reference_trsm_right_upper, CblasRight, CblasUpper,
                       CblasNoTrans, CblasNonUnit, 6, 5));
    return all;
}

std::vector<Case> qr_cases()
{
    std::vector<Case> all;
    for (bool op : {false, true}) {
        all.push_back(tpmqrt(op, 7, 4, 5, 0, 2));
        all.push_back(tpmqrt(op, 5, 4, 5, 5, 2));
        all.push_back(tpmqrt(op, 3, 4, 5, 3, 3));
    }
    for (size_t ib : Sizes{1, 2, 5}) {
        all.push_back(tpqrt(7, 5, 0, ib));
        all.push_back(tpqrt(5, 5, 5, ib));
        all.push_back(tpqrt(3, 5, 3, ib));
    }
    return all;
}

std::vector<Case> cases()
{
    std::vector<Case> all = blas_cases(), more = qr_cases();
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {getrf(7, 5), getrf(5, 7), laswp(6, 5, 0, 6), laswp(6, 5, 2, 4)});
    return all;
}

class Reference : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Reference, testing::ValuesIn(cases()));

TEST_P(Reference, GivesTheNumbersOfTheLibrary)
{
    Operands ours = GetParam().operands, theirs = GetParam().operands;
    GetParam().reference(ours);
    GetParam().library(theirs);
    for (size_t o = 0; o < ours.size(); o++)
        expect_close(ours[o], theirs[o]);
}

/* One mark for each element of each operand. */
using Marks = std::vector<bool>;

Marks mark(const Operands &operands, const std::function<bool(size_t, size_t)> &marked)
{
    Marks marks;
    for (size_t o = 0; o < operands.size(); o++)
        for (size_t element = 0; element < operands[o].a.size(); element++)
            marks.push_back(marked(o, element));
    return marks;
}

bool changes(const Routine &routine, const Operands &before, size_t operand, size_t element)
{
    Operands after = before;
    routine(after);
    return !same_bits(before[operand].a[element], after[operand].a[element]);
}

/* Whether another value of this element changes others. */
bool spreads(const Routine &routine, const Operands &before, size_t operand, size_t element)
{
    Operands usual = before, other = before;
    other[operand].a[element] = 1.0 - 3.0 * other[operand].a[element];
    routine(usual);
    routine(other);
    Marks changed = mark(before, [&](size_t o, size_t e) {
        bool own = o == operand && e == element;
        return !own && !same_bits(usual[o].a[e], other[o].a[e]);
    });
    return std::count(changed.begin(), changed.end(), true) > 0;
}

TEST_P(Reference, WritesTheElementsThatTheLibraryWrites)
{
    const Case &c = GetParam();
    auto ours = [&](size_t o, size_t e) { return changes(c.reference, c.operands, o, e); };
    auto theirs = [&](size_t o, size_t e) { return changes(c.library, c.operands, o, e); };
    EXPECT_EQ(mark(c.operands, ours), mark(c.operands, theirs));
}

TEST_P(Reference, ReadsOnlyTheElementsThatTheLibraryReads)
{
    const Case &c = GetParam();
    auto reads = [&](const Routine &routine, size_t o, size_t e) {
        return !changes(c.library, c.operands, o, e) && spreads(routine, c.operands, o, e);
    };
    auto ours = [&](size_t o, size_t e) { return reads(c.reference, o, e); };
    auto theirs = [&](size_t o, size_t e) { return reads(c.library, o, e); };
    EXPECT_EQ(mark(c.operands, ours), mark(c.operands, theirs));
}

/* LAPACK's own meaning of info. */
TEST(ReferenceInfo, IsTheColumnOfTheBreakDown)
{
    std::vector<int> pivots(6);
    Matrix Z = random_matrix(6, 6, 1);
    for (size_t i = 0; i < 6; i++)
        Z(i, 2) = 0.0;
    EXPECT_EQ(reference_getrf(6, 6, Z.a.data(), 6, pivots.data()), 3);
}

} // namespace
