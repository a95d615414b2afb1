// SPDX-License-Identifier: BSD-3-Clause
// Traces: every kernel call once, in its thread's buffer, within the timed region.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "tests/support.h"

extern "C" {
#include "common/base/clock.h"
#include "common/execution/trace.h"
#include "common/run/coordinates.h"
}

namespace {

using Trace = std::unique_ptr<trace, decltype(&trace_destroy)>;

Trace make_trace(size_t threads, size_t events)
{
    return {trace_create(threads, events, nullptr), trace_destroy};
}

TEST(Trace, HoldsBuffersOnCacheLinesOfTheirOwn)
{
    Trace trace = make_trace(3, 10);
    ASSERT_TRUE(trace);
    for (size_t t = 0; t < 3; t++) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(&trace->buffers[t]) % 64, 0U);
        EXPECT_GE(trace->buffers[t].capacity, 10U);
        EXPECT_EQ(trace->buffers[t].count, 0U);
    }
}

TEST(Trace, KeepsCallsInTheirOrderWithIncreasingTimes)
{
    Trace trace = make_trace(1, 100);
    trace_buffer *buffer = &trace->buffers[0];
    for (size_t call = 0; call < 100; call++) {
        trace_begin(buffer, {&about_gemm, call, {}}, &buffer[call]);
        trace_end(buffer);
    }
    ASSERT_EQ(buffer->count, 100U);
    for (size_t call = 0; call < 100; call++) {
        const trace_event &event = buffer->events[call];
        EXPECT_EQ(event.step, call);
        EXPECT_EQ(event.object, &buffer[call]);
        EXPECT_LE(event.start_ns, event.end_ns);
        EXPECT_GE(event.core, 0);
        if (call > 0) {
            EXPECT_GE(event.start_ns, buffer->events[call - 1].end_ns);
        }
    }
}

TEST(Trace, OfNoEventsCanBeMadeAndReleased)
{
    EXPECT_TRUE(make_trace(2, 0));
    trace_destroy(nullptr);
}

int64_t thread_time()
{
    return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

TEST(Trace, CountsTheTimeOfItsThreadOnAProcessorAlone)
{
    Trace trace = make_trace(1, 2);
    trace_buffer *buffer = &trace->buffers[0];
    trace_processor_time(trace.get());
    int64_t before = thread_time();
    trace_begin(buffer, {&about_gemm, 0, {}}, buffer);
    std::thread([] { // this thread waits; the work of the other one does not count
        for (int64_t begin = thread_time(); thread_time() < begin + 20'000'000;)
            ;
    })
        .join();
    trace_end(buffer);
    int64_t own = thread_time() - before;
    const trace_event &event = buffer->events[0];
    EXPECT_GT(event.processor_ns, 0);
    EXPECT_LE(event.processor_ns, own);
    EXPECT_GE(event.end_ns - event.start_ns, 20'000'000);
    EXPECT_LT(event.processor_ns, 20'000'000);
}

TEST(Trace, HoldsNoTimeOnAProcessorUnlessAsked)
{
    Trace trace = make_trace(1, 1);
    trace_begin(trace->buffers, {&about_gemm, 0, {}}, trace->buffers);
    trace_end(trace->buffers);
    EXPECT_EQ(trace->buffers[0].events[0].processor_ns, 0);
}

TEST(TraceCost, IsPositiveAndFarBelowAKernel)
{
    for (bool processor_time : {false, true}) {
        double cost = trace_cost_ns(nullptr, processor_time);
        EXPECT_GT(cost, 0.0);
        EXPECT_LT(cost, 1e6);
    }
}

} // namespace
