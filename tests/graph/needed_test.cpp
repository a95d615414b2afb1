// SPDX-License-Identifier: BSD-3-Clause
// Proves that kernels need what they list: what is listed as written changes, and a change of what is
// listed as read changes a result.
#include <cstring>

#include "watched.h"

extern "C" {
#include "benchmarks/jacobi/jacobi.h"
#include "lu/panel_pieces.h"
}

namespace {

using pollux::Complaints;
using pollux::Guard;
using pollux::IB;
using pollux::NB;
using pollux::SEED;
using pollux::Shown;
using pollux::Watched;

constexpr size_t ROWS = 110;

using Bytes = std::vector<char>;
using Call = std::function<void()>;

// One call, checked against its list.
class Need {
  public:
    Need(Watched &watched, Call call)
        : guard_(watched.guard()), watched_(watched), call_(std::move(call)),
          shown_(watched.show(call_))
    {
    }

    Complaints complaints()
    {
        Complaints list;
        std::vector<Bytes> before = memory();
        call_();
        std::vector<Bytes> after = memory();
        for (const struct access &a : shown_.accesses)
            if (a.mode == ACCESS_WRITE &&
                different(a, before, after) < watched_.objects(a.object).size())
                list.push_back(shown_.kernel + " does not change " + name(a));
        for (const struct access &a : shown_.accesses)
            if (a.mode == ACCESS_READ && !matters(a, before, after))
                list.push_back(shown_.kernel + " does not need " + name(a));
        restore(after);
        return list;
    }

  private:
    const std::string &name(const struct access &a) const
    {
        return guard_.name(guard_.find(a.object));
    }

    std::vector<Bytes> memory() const
    {
        std::vector<Bytes> all;
        for (size_t i = 0; i < guard_.size(); i++)
            all.emplace_back(guard_.first(i), guard_.first(i) + guard_.bytes(i));
        return all;
    }

    void restore(const std::vector<Bytes> &all)
    {
        for (size_t i = 0; i < guard_.size(); i++)
            std::memcpy(guard_.first(i), all[i].data(), all[i].size());
    }

    // Of the objects that the access stands for, those that differ.
    size_t different(const struct access &a, const std::vector<Bytes> &x,
                     const std::vector<Bytes> &y) const
    {
        std::vector<size_t> all = watched_.objects(a.object);
        return static_cast<size_t>(std::count_if(
            all.begin(), all.end(), [&](size_t i) { return differs(i, offset_of(a), x, y); }));
    }

    // From the byte on that the access names: it may be a block of the packed panel.
    static bool differs(size_t i, size_t offset, const std::vector<Bytes> &x,
                        const std::vector<Bytes> &y)
    {
        return std::memcmp(x[i].data() + offset, y[i].data() + offset, x[i].size() - offset) != 0;
    }

    size_t offset_of(const struct access &a) const
    {
        size_t i = guard_.find(a.object);
        return static_cast<size_t>(static_cast<const char *>(a.object) - guard_.first(i));
    }

    bool matters(const struct access &read, const std::vector<Bytes> &before,
                 const std::vector<Bytes> &after)
    {
        restore(before);
        disturb(read);
        call_();
        std::vector<Bytes> other = memory();
        for (const struct access &a : shown_.accesses)
            if (a.mode == ACCESS_WRITE && different(a, after, other) > 0)
                return true;
        return false;
    }

    void disturb(const struct access &read)
    {
        for (size_t i : watched_.objects(read.object))
            disturb(i, read);
    }

    // Changes an object, but nothing that the call names as written.
    void disturb(size_t i, const struct access &read)
    {
        size_t bytes = guard_.bytes(i);
        for (const struct access &a : shown_.accesses)
            if (a.mode == ACCESS_WRITE && guard_.find(a.object) == i)
                bytes = std::min(bytes, offset_of(a));
        if (i == watched_.pivots()) {
            auto *pivots = reinterpret_cast<int *>(guard_.first(i) + offset_of(read));
            *pivots = *pivots == static_cast<int>(ROWS) ? *pivots - 1 : static_cast<int>(ROWS);
            return;
        }
        auto *elements = reinterpret_cast<double *>(guard_.first(i));
        for (size_t e = 0; e < bytes / sizeof(double); e++)
            elements[e] *= 2.0;
    }

    Guard &guard_;
    Watched &watched_;
    Call call_;
    Shown shown_;
};

// A problem of three tiles a side, the last one smaller.
class Needed : public testing::Test {
  protected:
    void create(const char *name, const Trial::Shape &shape = {ROWS, ROWS, NB, IB, 1})
    {
        watched_.reset();
        watched_ = std::make_unique<Watched>(subject_named(name), shape);
        watched_->fill(SEED);
        p_ = watched_->problem();
        x_ = p_->execution;
    }

    struct tile A(size_t i, size_t j) {
        return tile_at(p_->A, i, j);
    }

    void
    expect_needs_its_list(const Call &call)
    {
        EXPECT_EQ(Need(*watched_, call).complaints(), Complaints{});
        EXPECT_FALSE(watched_->failed());
    }

    std::unique_ptr<Watched> watched_;
    struct problem *p_ = nullptr;
    execution *x_ = nullptr;
};

TEST_F(Needed, IsAllThatCholeskysKernelsList)
{
    create("cholesky seq");
    expect_needs_its_list([this] { cholesky_potrf(p_, 0); });
    expect_needs_its_list([this] { cholesky_trsm(p_, 0, 1); });
    expect_needs_its_list([this] { cholesky_trsm(p_, 0, 2); });
    expect_needs_its_list([this] { cholesky_syrk(p_, 0, 2); });
    expect_needs_its_list([this] { cholesky_gemm(p_, 0, 2, 1); });
}

TEST_F(Needed, IsAllThatLusKernelsList)
{
    create("lu seq");
    expect_needs_its_list([this] { lu_getrf(p_, 0); });
    for (size_t j : Sizes{1, 2}) {
        expect_needs_its_list([this, j] { lu_laswp(p_, 0, j); });
        expect_needs_its_list([this, j] { lu_trsm(p_, 0, j); });
        expect_needs_its_list([this, j] { lu_gemm(p_, 0, 2, j); });
        expect_needs_its_list([this, j] { lu_gemm(p_, 0, 1, j); });
    }
    expect_needs_its_list([this] { lu_getrf(p_, 1); });
    expect_needs_its_list([this] { lu_laswp(p_, 1, 0); });
}

TEST_F(Needed, IsAllThatTheKernelsWithoutPivotingList)
{
    create("lu nopiv");
    expect_needs_its_list([this] { kernel_getrf_nopiv(x_, 0, 0, A(0, 0)); });
    expect_needs_its_list([this] { kernel_trsm_right_upper(x_, 0, A(0, 0), A(2, 0)); });
}

// The panel's pieces, in the order of lu/panel_tasks.c.
TEST_F(Needed, IsAllThatThePiecesOfAPanelList)
{
    create("lu column");
    struct panel whole = piece_view(p_, 0);
    size_t half = whole.A.cols / 2;
    struct panel left = panel_columns(whole, 0, half);
    struct panel right = panel_columns(whole, half, whole.A.cols - half);
    struct panel below = panel_below(right, half);
    expect_needs_its_list([=] { piece_load(p_, 0, whole); });
    expect_needs_its_list([=] { piece_getrf(p_, 0, left); });
    expect_needs_its_list([=] { piece_trsm(p_, 0, left, right); });
    expect_needs_its_list([=] { piece_gemm(p_, 0, left, right, half, ROWS); });
    expect_needs_its_list([=] { piece_getrf(p_, 0, below); });
    expect_needs_its_list([=] { piece_swap(p_, 0, below, panel_below(left, half), half); });
    struct panel next = piece_view(p_, 1); // whose pivots are not those of the matrix
    expect_needs_its_list([=] { piece_store(p_, 1, next); });
}

TEST_F(Needed, IsAllThatQrsKernelsList)
{
    create("qr seq");
    expect_needs_its_list([this] { qr_geqrt(p_, 0, 0); });
    expect_needs_its_list([this] { qr_unmqr(p_, 0, 0, 1); });
    for (size_t m : Sizes{1, 2}) {
        expect_needs_its_list([this, m] { qr_tsqrt(p_, 0, m); });
        expect_needs_its_list([this, m] { qr_tsmqr(p_, 0, m, 1); });
    }
}

TEST_F(Needed, IsAllThatTheKernelsOfQrsTreeList)
{
    create("qr tree");
    for (size_t m : Sizes{0, 1, 2})
        expect_needs_its_list([this, m] { qr_geqrt(p_, 0, m); });
    for (size_t m : Sizes{1, 2}) {
        expect_needs_its_list([this, m] { qr_ttqrt(p_, 0, 0, m); });
        expect_needs_its_list([this, m] { qr_ttmqr(p_, 0, 0, m, 1); });
    }
}

// The pattern `kastors`: block (1,4) fills in.
TEST_F(Needed, IsAllThatSparseLusKernelsList)
{
    create("sparselu seq", {ROWS, ROWS, 22, 0, 1});
    block_matrix *A = sparselu_blocks(p_);
    expect_needs_its_list([this] { sparselu_lu0(p_, 0); });
    expect_needs_its_list([this] { sparselu_fwd(p_, 0, 4); });
    expect_needs_its_list([this] { sparselu_bdiv(p_, 0, 1); });
    ASSERT_EQ(block_address(A, 1, 4), nullptr);
    block_appear(A, 1, 4);
    expect_needs_its_list([this] { sparselu_bmod(p_, 0, 1, 4, true); });
    expect_needs_its_list([this] { sparselu_bmod(p_, 0, 1, 4, false); });
}

// Tiles in the middle, at the boundary and in a corner.
TEST_F(Needed, IsAllThatJacobisSweepsList)
{
    create("jacobi seq");
    for (size_t s : Sizes{0, 1})
        for (size_t n = 0; n < 3; n++)
            for (size_t m = 0; m < 3; m++)
                expect_needs_its_list([=] { jacobi_sweep(p_, s, m, n); });
}

// Every sum and product of one level.
TEST_F(Needed, IsAllThatStrassensKernelsList)
{
    for (size_t form : Sizes{FORM_WINOGRAD, FORM_STRASSEN}) {
        create("strassen seq", {64, 64, 32, 0, 1, 1, {form, DEPTH_MAX, 32}});
        const struct form *f = strassen_of(p_)->recursion.form;
        for (size_t sum = 0; sum < f->combinations; sum++)
            expect_needs_its_list([=] { strassen_sum(p_, 0, 0, sum, 0); });
        for (size_t number = 0; number < PRODUCTS; number++)
            expect_needs_its_list([=] { strassen_multiply(p_, number); });
        for (size_t sum = f->combinations; sum < f->sum_count; sum++)
            expect_needs_its_list([=] { strassen_sum(p_, 0, 0, sum, 0); });
    }
}

TEST_F(Needed, IsNotATileThatAKernelLeavesAlone)
{
    create("cholesky seq");
    const struct access accesses[] = {{A(1, 0).a, ACCESS_READ},
                                      {A(2, 0).a, ACCESS_READ},
                                      {A(2, 1).a, ACCESS_WRITE},
                                      {A(2, 2).a, ACCESS_WRITE}};
    const kernel copy = kernel_named("copy");
    auto call = [&] {
        if (execution_enter(x_, {&copy, 0, {}}, accesses, 4))
            *A(2, 2).a = *A(2, 0).a;
    };
    EXPECT_EQ(Need(*watched_, call).complaints(),
              (Complaints{"copy does not change A(2,1)", "copy does not need A(1,0)"}));
}

} // namespace
