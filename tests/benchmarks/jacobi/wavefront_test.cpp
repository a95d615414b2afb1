// SPDX-License-Identifier: BSD-3-Clause
// The lists of Jacobi's tiles in time name stand-ins: any two calls of which one writes a point that the other
// touches must list one in common, as written by one of them. What a call writes is seen by comparing the grid
// before and after it; what it reads follows, since a point takes its four neighbours.
#include <algorithm>
#include <set>

#include "tests/support.h"

extern "C" {
#include "benchmarks/jacobi/grid.h"
#include "benchmarks/jacobi/jacobi.h"
}

namespace {

struct Call {
    std::vector<struct access> list;
    std::set<std::size_t> writes, reads; // points of both buffers
};

class Recorder {
  public:
    explicit Recorder(struct problem *p) : p_(p), before_(grid())
    {
        observer_ = {begin, this};
        p->execution->observer = &observer_;
    }

    std::vector<Call> end()
    {
        p_->execution->observer = nullptr;
        finish();
        return std::move(calls_);
    }

  private:
    static void begin(void *context, struct call, const struct access *list, std::size_t count)
    {
        auto *recorder = static_cast<Recorder *>(context);
        recorder->finish();
        recorder->calls_.push_back({{list, list + count}, {}, {}});
    }

    std::vector<double> grid() const
    {
        std::vector<double> all;
        for (std::size_t buffer : {0, 1})
            for (std::size_t j = 0; j < p_->n; j++)
                for (std::size_t i = 0; i < p_->n; i++)
                    all.push_back(*tile_matrix_element(grid_buffer(p_, buffer), i, j));
        return all;
    }

    // What the call that began last has done.
    void finish()
    {
        std::vector<double> after = grid();
        for (std::size_t point = 0; point < after.size(); point++)
            if (!same_bits(before_[point], after[point]))
                add_write(calls_.back(), point);
        before_ = std::move(after);
    }

    void add_write(Call &call, std::size_t point) const
    {
        const std::size_t n = p_->n, other = point < n * n ? point + n * n : point - n * n;
        const std::size_t i = point % n, j = point / n % n;
        call.writes.insert(point);
        if (i > 0)
            call.reads.insert(other - 1);
        if (i + 1 < n)
            call.reads.insert(other + 1);
        if (j > 0)
            call.reads.insert(other - n);
        if (j + 1 < n)
            call.reads.insert(other + n);
    }

    struct problem *p_;
    std::vector<double> before_;
    struct observer observer_{};
    std::vector<Call> calls_;
};

bool meet(const std::set<std::size_t> &x, const std::set<std::size_t> &y)
{
    return std::any_of(x.begin(), x.end(), [&](std::size_t point) { return y.count(point) > 0; });
}

bool conflict(const Call &x, const Call &y)
{
    return meet(x.writes, y.writes) || meet(x.writes, y.reads) || meet(x.reads, y.writes);
}

bool lists_conflict(const Call &x, const Call &y)
{
    for (const struct access &a : x.list)
        for (const struct access &b : y.list)
            if (a.object == b.object && (a.mode == ACCESS_WRITE || b.mode == ACCESS_WRITE))
                return true;
    return false;
}

TEST(TilesInTime, ListAnObjectInCommonWhereOneWritesAPointOfTheOther)
{
    for (std::size_t n : Sizes{4, 9, 16, 17})
        for (std::size_t time_tile : Sizes{1, 2, 3, 4}) {
            SCOPED_TRACE(describe({{"n", n}, {"time_tile", time_tile}}));
            Trial run(subject_named("jacobi wavefront"), {n, n, 4, 0, 1, 1, {7, time_tile}});
            run.generate();
            Recorder recorder(run.problem());
            run.submit();
            std::vector<Call> calls = recorder.end();
            std::size_t points = 0;
            for (std::size_t b = 0; b < calls.size(); b++) {
                points += calls[b].writes.size();
                for (std::size_t a = 0; a < b; a++)
                    EXPECT_TRUE(!conflict(calls[a], calls[b]) || lists_conflict(calls[a], calls[b]))
                        << a << " and " << b;
            }
            EXPECT_EQ(points, 7 * n * n);
        }
}

} // namespace
