// SPDX-License-Identifier: BSD-3-Clause
// Strassen's recursion: its products over both forms, sizes, tiles, depths and cut-offs; its counts and its names.
#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <set>
#include <tuple>

#include "multiplication.h"

namespace {

// One leaf; levels in tasks, within a task, and both, with and without zeros at the end; depth and cut-off
// that end the recursion.
std::vector<Case> cases()
{
    std::vector<Case> list;
    for (std::size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN})
        for (auto [n, nb, depth, cutoff] : {std::array<std::size_t, 4>{1, 16, 8, 1},
                                            {15, 16, 8, 1024},
                                            {40, 5, 8, 1024},
                                            {17, 16, 8, 3},
                                            {33, 32, 1, 1},
                                            {40, 20, 3, 5},
                                            {9, 1, 8, 1}})
            list.push_back({n, nb, form, depth, cutoff});
    return list;
}

/* ---- results ---- */

TEST(Strassen, GivesTheProductOfTwoDifferentRandomMatrices)
{
    for (const Case &c : cases()) {
        SCOPED_TRACE(testing::Message() << c);
        Multiplication run(c);
        run.once();
        Matrix A = square(run.matrices().A, c.n), B = square(run.matrices().B, c.n);
        EXPECT_EQ(largest(A - input_matrix(INPUT_UNIFORM, c.n, c.n, 7)), 0.0);
        EXPECT_EQ(largest(B - input_matrix(INPUT_UNIFORM, c.n, c.n, ~std::uint64_t{7})), 0.0);
        expect_close(square(run.matrices().C, c.n), A * B, 1e-10);
    }
}

TEST(Strassen, PassesBothChecksAndGivesTheDigestOfSeqInEveryVariant)
{
    for (const Case &c : cases()) {
        std::uint64_t expected = Multiplication(c).once().digest;
        for (const char *variant : {"seq", "task", "depend", "flat"}) {
            SCOPED_TRACE(testing::Message() << variant << ", " << c);
            Multiplication run(c, variant);
            outcome outcome = run.once(7, CHECK_FULL);
            EXPECT_TRUE(outcome.passed);
            EXPECT_TRUE(run.passes(CHECK_FAST));
            EXPECT_EQ(outcome.digest, expected);
        }
    }
}

TEST(Strassen, HasADigestThatDependsOnLevelsAndFormOnly)
{
    auto digest = [](const Case &c) { return Multiplication(c).once().digest; };
    Case in_tasks{64, 8}, within_a_task{64, 64, FORM_WINOGRAD, DEPTH_MAX, 8};
    EXPECT_EQ(digest(in_tasks), digest(within_a_task));
    EXPECT_NE(digest(in_tasks), digest({64, 16}));
    EXPECT_NE(digest(in_tasks), digest({64, 8, FORM_STRASSEN}));
}

/* ---- sizes ---- */

TEST(Recursion, EndsAtTheTileInTasksAndAtTheCutoffWithin)
{
    struct Expected {
        Case c;
        std::size_t levels, task_levels, leaf;
    };
    for (auto [c, levels, task_levels, leaf] :
         {Expected{{4096, 64, 0, 5, 64}, 5, 5, 128}, Expected{{4096, 64, 0, 8, 64}, 6, 6, 64},
          Expected{{4096, 1024, 0, 8, 1024}, 2, 2, 1024},
          Expected{{4096, 2048, 0, 8, 1024}, 2, 1, 1024},
          Expected{{8192, 2048, 0, 8, 256}, 5, 2, 256},
          Expected{{1000, 1000, 0, 8, 999}, 1, 0, 500}, Expected{{1025, 512, 0, 8, 512}, 2, 2, 257},
          Expected{{1, 1, 0, 8, 1}, 0, 0, 1}, Expected{{3, 1, 0, 8, 1}, 2, 2, 1},
          Expected{{4096, 64, 0, 0, 64}, 0, 0, 4096}}) {
        SCOPED_TRACE(testing::Message() << c);
        problem p = {};
        p.m = p.n = c.n;
        p.mb = p.nb = c.nb;
        p.parameters[PARAMETER_FORM] = c.form;
        p.parameters[PARAMETER_DEPTH] = c.depth;
        p.parameters[PARAMETER_CUTOFF] = c.cutoff;
        recursion r = recursion_of(&p);
        EXPECT_EQ(std::tuple(r.levels, r.task_levels, r.leaf),
                  std::tuple(levels, task_levels, leaf));
    }
}

TEST(Recursion, StatesTheBytesThatItAllocates)
{
    for (const Case &c : cases()) {
        SCOPED_TRACE(testing::Message() << c);
        Multiplication run(c);
        const struct matrices &s = run.matrices();
        std::size_t allocated = s.A->bytes + s.B->bytes + s.C->bytes + (s.work ? s.work->bytes : 0);
        EXPECT_GE(run.bytes(), allocated);
        std::size_t order = s.A->n, leaf = run.recursion().leaf_doubles;
        std::size_t verification = std::max(c.threads * leaf, (4 + c.threads) * PROBES * order);
        EXPECT_EQ(run.bytes(), allocated + verification * sizeof(double));
    }
}

/* ---- kernel calls ---- */

struct Call {
    const kernel *about;
    call_sizes sizes;
    std::tuple<std::string, std::size_t, std::size_t, std::size_t> name;
};

struct Calls {
    const struct problem *problem;
    std::vector<Call> list;
};

void keep(void *context, struct call made, const struct access *accesses, std::size_t count)
{
    auto *calls = static_cast<Calls *>(context);
    std::size_t i = 0, j = 0;
    strassen_coordinates(calls->problem, made.step, accesses[count - 1].object, &i, &j);
    calls->list.push_back({made.kernel, made.sizes, {made.kernel->name, made.step, i, j}});
}

std::vector<Call> calls_of(Multiplication &run)
{
    Calls calls = {run.problem(), {}};
    const observer observer = {keep, &calls};
    run.problem()->execution->observer = &observer;
    run.once();
    run.problem()->execution->observer = nullptr;
    return calls.list;
}

// (23.7) of Higham's book, with 15 or 18 additions.
TEST(Kernels, CountTheOperationsOfTheWholeRecursion)
{
    for (const Case &c : cases()) {
        SCOPED_TRACE(testing::Message() << c);
        Multiplication run(c);
        double sum = 0.0;
        for (const Call &call : calls_of(run))
            sum += static_cast<double>(work_of_call(call.about, call.sizes).flops);
        double additions = c.form == FORM_WINOGRAD ? 15.0 : 18.0,
               n = static_cast<double>(run.matrices().A->n);
        double h = static_cast<double>(run.recursion().leaf),
               factor = std::pow(7.0, static_cast<double>(run.recursion().levels));
        double expected = factor * 2.0 * h * h * h + additions / 3.0 * (factor * h * h - n * n);
        EXPECT_DOUBLE_EQ(sum, expected);
        EXPECT_DOUBLE_EQ(recursion_operations(&run.recursion()), expected);
    }
}

TEST(Kernels, CountTheBytesOfEachMatrixOfASumOnce)
{
    for (const form *f : {&forms[FORM_WINOGRAD], &forms[FORM_STRASSEN]})
        for (std::size_t s = 0; s < f->sum_count; s++) {
            std::set<unsigned> touched;
            for (std::size_t a = 0; a < f->sums[s].additions; a++) {
                const addition &own = f->sums[s].addition[a];
                touched.insert({own.to, own.left, own.right});
            }
            call_sizes sizes = sizes_mnk(16, 16, f->sums[s].additions);
            EXPECT_EQ(f->sums[s].kernel->bytes(sizes),
                      8.0 * 16 * 16 * static_cast<double>(touched.size()))
                << f->sums[s].kernel->operation;
        }
}

// The table of a description lists the kernels of both forms.
TEST(Kernels, AreThoseOfTheDescription)
{
    std::set<const kernel *> called;
    for (std::size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN}) {
        Multiplication run({40, 10, form});
        for (const Call &call : calls_of(run))
            called.insert(call.about);
    }
    EXPECT_EQ(called,
              std::set<const kernel *>(strassen.kernels, strassen.kernels + strassen.kernel_count));
}

TEST(Kernels, HaveNamesOfTheirOwn)
{
    for (const Case &c : cases()) {
        SCOPED_TRACE(testing::Message() << c);
        Multiplication run(c);
        std::set<decltype(Call::name)> names;
        std::vector<Call> calls = calls_of(run);
        for (const Call &call : calls)
            names.insert(call.name);
        EXPECT_EQ(names.size(), calls.size());
    }
}

/* ---- memory ---- */

TEST(Generate, SpoilsWhatAnEarlierRepetitionLeft)
{
    Multiplication run({32, 8});
    run.once();
    strassen_generate(run.problem());
    for (const tile_matrix *A : {run.matrices().C, run.matrices().work})
        for (std::size_t t = 0; t < A->mt * A->nt; t++)
            EXPECT_TRUE(std::isnan(A->column[t][0]));
    EXPECT_FALSE(run.passes(CHECK_FAST));
}

} // namespace
