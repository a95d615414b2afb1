/* SPDX-License-Identifier: BSD-3-Clause
 * The median. */
#include "tests/support.h"

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle)
{
    const std::vector<double> numbers = {1.0, 2.0, 4.0, 8.0, 100.0};
    const double *values = numbers.data();
    EXPECT_EQ(median_of_sorted(values, 1), 1.0);
    EXPECT_EQ(median_of_sorted(values, 2), 1.5);
    EXPECT_EQ(median_of_sorted(values, 3), 2.0);
    EXPECT_EQ(median_of_sorted(values, 4), 3.0);
    EXPECT_EQ(median_of_sorted(values, 5), 4.0);
}
