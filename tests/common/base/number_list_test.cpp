/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers on command lines: what is read, and what is refused. */
#include <vector>

#include "tests/support.h"

static std::vector<size_t> parsed(const char *text)
{
    const number_list list = number_list_parse(text, "--size", 1, NUMBER_MAX);
    return {list.value, list.value + list.count};
}

TEST(NumberList, HoldsListsAndRangesInTheOrderGiven)
{
    using Numbers = std::vector<size_t>;
    EXPECT_EQ(parsed("7"), (Numbers{7}));
    EXPECT_EQ(parsed("3,1,3"), (Numbers{3, 1, 3}));
    EXPECT_EQ(parsed("1:10:3"), (Numbers{1, 4, 7, 10}));
    EXPECT_EQ(parsed("1:9:3"), (Numbers{1, 4, 7}));
    EXPECT_EQ(parsed("5:5:1"), (Numbers{5}));
    EXPECT_EQ(parsed("2,4:8:2,1"), (Numbers{2, 4, 6, 8, 1}));
    EXPECT_EQ(parsed("2147483647"), (Numbers{INT_MAX}));
    EXPECT_EQ(parsed("1:256:1").size(), static_cast<size_t>(LIST_MAX));
}

TEST(NumberListDeathTest, RefusesWhatIsNotAListInOneLine)
{
    for (const char *text :
         {"",       "0",     "-1",    "+1",      " 1",     "1.5",        "1e3",
          "abc",    "1,",    ",1",    "1,,2",    "1:2",    "1:2:",       ":2:1",
          "3:1:1",  "1:5:0", "0:5:1", "1:2:3:4", "1:-2:1", "2147483648", "99999999999999999999",
          "1:257:1"}) {
        SCOPED_TRACE(text);
        EXPECT_EXIT(number_list_parse(text, "--size", 1, NUMBER_MAX),
                    testing::ExitedWithCode(POLLUX_USAGE), "^[^\n]*--size[^\n]*\n$");
    }
}

TEST(NumberListDeathTest, SaysThatTheStepIsWrong)
{
    EXPECT_EXIT(number_list_parse("1:10:0", "--size", 1, NUMBER_MAX),
                testing::ExitedWithCode(POLLUX_USAGE), "--size: STEP 0: must be an integer from 1");
}
