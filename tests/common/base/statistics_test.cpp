/* SPDX-License-Identifier: BSD-3-Clause
 * The median. */
#include "tests/support.h"

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle)
{
    const std::vector<double> medians = {1.0, 4.5, 2.0, 5.0, 4.0};
    for (size_t count = 1; count <= medians.size(); count++) {
        double values[] = {1.0, 8.0, 2.0, 100.0, 4.0};
        EXPECT_EQ(median(values, count), medians[count - 1]) << count;
        EXPECT_TRUE(std::is_sorted(values, values + count)) << count;
    }
}
