/* SPDX-License-Identifier: BSD-3-Clause
 * The families of processors. */
#include "tests/support.h"

TEST(ProcessorFamily, IsNamedByVendorFamilyAndModel)
{
    const processor zen4 = {"AuthenticAMD", "25", "17"};
    EXPECT_STREQ(processor_family(zen4), "zen4");
    EXPECT_STREQ(processor_family({"AuthenticAMD", "25", "1"}), "any"); /* Zen 3 */
    EXPECT_STREQ(processor_family({"GenuineIntel", "25", "17"}), "any");
    EXPECT_STREQ(processor_family({"GenuineIntel", "6", "207"}), "sapphirerapids");
    EXPECT_STREQ(processor_family({"AuthenticAMD", "6", "207"}), "any");
    EXPECT_STREQ(processor_family({nullptr, nullptr, nullptr}), "any");
}
