// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

extern "C" {
#include "common/base/memory.h"
#include "common/base/message.h"
}

namespace {

TEST(Memory, IsZeroAndMayBeOfNothing)
{
    auto *numbers = static_cast<int *>(zeros(1000, sizeof(int)));
    for (int i = 0; i < 1000; i++)
        EXPECT_EQ(numbers[i], 0);
    free(numbers);
    void *nothing = zeros(0, sizeof(int));
    EXPECT_NE(nothing, nullptr);
    free(nothing);
}

TEST(Memory, GrowsWhereItIsFullAndKeepsWhatItHas)
{
    int *numbers = nullptr;
    size_t capacity = 0, moves = 0;
    for (int i = 0; i < 1000; i++) {
        size_t before = capacity;
        numbers = static_cast<int *>(
            grown(numbers, static_cast<size_t>(i), &capacity, sizeof *numbers, "numbers"));
        ASSERT_GT(capacity, static_cast<size_t>(i));
        moves += capacity != before;
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        EXPECT_EQ(numbers[i], i);
    EXPECT_LT(moves, 10u); // each time to twice as many
    free(numbers);
}

TEST(Memory, CopiesText)
{
    char *copy = text_copy("a text");
    EXPECT_STREQ(copy, "a text");
    free(copy);
}

TEST(MemoryDeathTest, EndsTheProgramWhereThereIsNoneAndSaysForWhat)
{
    size_t capacity = SIZE_MAX / 4;
    EXPECT_EXIT(zeros_for(SIZE_MAX / 8, 8, "%d rows", 7), testing::ExitedWithCode(POLLUX_MACHINE),
                "no memory for 7 rows\n$");
    EXPECT_EXIT(zeros(SIZE_MAX, 2), testing::ExitedWithCode(POLLUX_MACHINE), "no memory\n$");
    EXPECT_EXIT(grown(nullptr, capacity, &capacity, 8, "a list"),
                testing::ExitedWithCode(POLLUX_MACHINE), "no memory for a list\n$");
}

} // namespace
