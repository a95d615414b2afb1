// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>

extern "C" {
#include "common/base/period.h"
}

namespace {

// Keeps this thread, and those that it starts, on the processor where it is.
class OneProcessor {
  public:
    OneProcessor()
    {
        sched_getaffinity(0, sizeof former_, &former_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    ~OneProcessor()
    {
        sched_setaffinity(0, sizeof former_, &former_);
    }
    OneProcessor(const OneProcessor &) = delete;
    OneProcessor &operator=(const OneProcessor &) = delete;

  private:
    cpu_set_t former_;
};

TEST(Period, CountsEachTimeThatAThreadYieldsToAnother)
{
    constexpr int kTurns = 100;
    const OneProcessor bound;
    std::atomic<int> turn{0};
    auto take_turns = [&turn](int first) {
        for (int own = first; own < kTurns; own += 2) {
            while (turn.load() != own)
                sched_yield();
            turn.store(own + 1);
        }
    };
    struct period period = period_begin();
    std::thread other(take_turns, 1);
    take_turns(0);
    other.join();
    period_end(&period);
    EXPECT_GE(period.preemptions, kTurns / 2);
    EXPECT_GT(period.end_unix_ns, period.start_unix_ns);
}

TEST(Period, CountsOnlyFromItsBeginning)
{
    struct period period = period_begin();
    const int64_t before = period.preemptions;
    period_end(&period);
    EXPECT_LE(before, 0);
    EXPECT_GE(period.preemptions, 0);
}

} // namespace
