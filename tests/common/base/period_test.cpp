// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

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

constexpr int kTurns = 100;

// Two threads yield to each other.
void take_turns()
{
    const OneProcessor bound;
    std::atomic<int> turn{0};
    auto own_turns = [&turn](int first) {
        for (int own = first; own < kTurns; own += 2) {
            while (turn.load() != own)
                sched_yield();
            turn.store(own + 1);
        }
    };
    std::thread other(own_turns, 1);
    own_turns(0);
    other.join();
}

int64_t preemptions_until_now()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

TEST(Period, CountsEachTimeThatAThreadYieldsToAnother)
{
    struct period period = period_begin();
    take_turns();
    period_end(&period);
    EXPECT_GE(period.preemptions, kTurns / 2);
    EXPECT_GT(period.end_unix_ns, period.start_unix_ns);
}

TEST(Period, CountsOnlyFromItsBeginning)
{
    take_turns();
    const int64_t before = preemptions_until_now();
    struct period period = period_begin();
    period_end(&period);
    EXPECT_GE(before, kTurns / 2);
    EXPECT_GE(period.preemptions, 0);
    EXPECT_LE(period.preemptions, preemptions_until_now() - before);
}

} // namespace
